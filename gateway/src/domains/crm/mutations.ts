import { customerTexts, invalidValue, listBounds, notFound } from '@commerce-graph/contract/input'
import { address, addressFields, addressValues } from '../../mutation/address-rules.ts'
import { action, type MutationDefinition, type Values } from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  insertOne,
  pick,
  present,
  remove,
  table,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { boundedText, type Fields, list, phone, text } from '../../mutation/rules.ts'
import { toUuid } from '../../projection/filter.ts'
import { contactMutations } from './contact-mutations.ts'
import { loyaltyMutations } from './loyalty-mutations.ts'
import { segmentMutations } from './segment-mutations.ts'

const customerTable = table('Customer', 'customers')
const addressTable = table('Address', 'addresses')

const customerRules: Fields = {
  email: text({ max: 254 }),
  name: boundedText(customerTexts.name),
  phone,
  tags: list(boundedText(customerTexts.tag), { max: listBounds.tags }),
  notes: boundedText(customerTexts.notes),
  addresses: list(address, { max: listBounds.customerAddresses }),
}

const customerColumns = ['email', 'name', 'phone', 'marketingOptIn', 'tags', 'notes'] as const

interface CustomerInput {
  readonly email?: string | null
  readonly addresses?: readonly Values[] | null
}

/** What only the merchant may write; the role `customer` has no such columns in metadata either. */
const merchantsColumns = ['email', 'tags', 'notes'] as const

export const crmMutations: Readonly<Record<string, MutationDefinition>> = {
  ...contactMutations,
  ...segmentMutations,
  ...loyaltyMutations,
  createCustomer: creation<CustomerInput>({
    record: 'Customer',
    what: 'Customer',
    rules: customerRules,
    lookUps: ({ email }) => [absent(customerTable, 'email', valueOf('email', email), 'Customer')],
    write: (input) =>
      insertOne(customerTable, {
        ...pick(input as Values, customerColumns, 'left out'),
        addresses: { data: (input.addresses ?? []).map((given) => addressValues(given, 'left out')) },
      }),
  }),
  updateCustomer: change<CustomerInput>({
    record: 'Customer',
    what: 'Customer',
    rules: customerRules,
    required: ['email', 'name', 'marketingOptIn', 'tags'],
    check: (input, principal) =>
      principal.kind === 'customer'
        ? merchantsColumns
            .filter((column) => (input as Values)[column] !== undefined)
            .map((column) => invalidValue(column, `Only the merchant can change ${column}`))
        : [],
    lookUps: ({ email }, { id }) => [
      absent(customerTable, 'email', valueOf('email', email), 'Customer', byId(id)),
    ],
    write: (input, { id }) => update(customerTable, byId(id), pick(input as Values, customerColumns)),
  }),
  anonymizeCustomer: action({ record: { relationship: 'customer', projection: 'Customer' } }),
  deleteCustomer: deletion('Customer', (id) => remove(customerTable, byId(id))),
  createCustomerAddress: creation({
    record: 'Address',
    what: 'Address',
    rules: addressFields,
    check: (_input, principal, { customerId }) =>
      principal.kind === 'customer' && customerId !== principal.customerId
        ? [notFound('customerId', 'Customer', customerId as string)]
        : [],
    lookUps: (_input, { customerId }) => [
      present(customerTable, valueOf('customerId', customerId as string), 'Customer'),
    ],
    write: (input, { customerId, isDefault }, principal) =>
      insertOne(addressTable, {
        ...addressValues(input as Values, 'left out'),
        ...(isDefault === true && { isDefault }),
        // A shopper's own id is set by Hasura from the session; its role has no such column to write.
        ...(principal.kind !== 'customer' && { customerId: toUuid(customerId) }),
      }),
  }),
  updateCustomerAddress: change({
    record: 'Address',
    what: 'Address',
    rules: addressFields,
    required: ['line1', 'city', 'state', 'postalCode', 'country'],
    write: (input, { id, isDefault }) =>
      update(addressTable, byId(id), {
        ...addressValues(input as Values),
        ...(typeof isDefault === 'boolean' && { isDefault }),
      }),
  }),
  deleteCustomerAddress: deletion('Address', (id) => remove(addressTable, byId(id))),
}
