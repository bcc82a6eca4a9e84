import { invalidValue, notFound } from '@commerce-graph/contract/input'
import { addressValues } from '../../mutation/address-values.ts'
import type { MutationDefinition } from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  externalIdTaken,
  insertOne,
  keptFields,
  pick,
  present,
  remove,
  table,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'
import { contactMutations } from './contact-mutations.ts'
import { loyaltyMutations } from './loyalty-mutations.ts'
import { segmentMutations } from './segment-mutations.ts'

const customerTable = table('crm_customer')
const addressTable = table('crm_address')

const customerColumns = ['email', 'name', 'phone', 'marketingOptIn', 'tags', 'notes', ...keptFields] as const

/** The columns that only the merchant may write. In metadata the role `customer` lacks them, too. */
const merchantsColumns = ['email', 'tags', 'notes', ...keptFields] as const

export const crmMutations: Readonly<Record<string, MutationDefinition>> = {
  ...contactMutations,
  ...segmentMutations,
  ...loyaltyMutations,
  createCustomer: creation<'createCustomer'>({
    record: 'Customer',
    what: 'Customer',
    lookUps: ({ email, externalId }) => [
      absent(customerTable, 'email', valueOf('email', email), 'Customer'),
      externalIdTaken(customerTable, 'Customer', externalId),
    ],
    write: (input) =>
      insertOne(customerTable, {
        ...pick(input, customerColumns, 'left out'),
        addresses: { data: (input.addresses ?? []).map((given) => addressValues(given, 'left out')) },
      }),
  }),
  updateCustomer: change<'updateCustomer'>({
    record: 'Customer',
    what: 'Customer',
    check: (input, principal) =>
      principal.kind === 'customer'
        ? merchantsColumns
            .filter((column) => input[column] !== undefined)
            .map((column) => invalidValue(column, `Only the merchant can change ${column}`))
        : [],
    lookUps: ({ email, externalId }, { id }) => [
      absent(customerTable, 'email', valueOf('email', email), 'Customer', byId(id)),
      externalIdTaken(customerTable, 'Customer', externalId, id),
    ],
    write: (input, { id }) => update(customerTable, byId(id), pick(input, customerColumns)),
  }),
  deleteCustomer: deletion('Customer', (id) => remove(customerTable, byId(id))),
  createCustomerAddress: creation<'createCustomerAddress'>({
    record: 'Address',
    what: 'Address',
    check: (_input, principal, { customerId }) =>
      principal.kind === 'customer' && customerId !== principal.customerId
        ? [notFound('customerId', 'Customer', customerId)]
        : [],
    lookUps: (_input, { customerId }) => [
      present(customerTable, valueOf('customerId', customerId), 'Customer'),
    ],
    write: (input, { customerId, isDefault }, principal) =>
      insertOne(addressTable, {
        ...addressValues(input, 'left out'),
        ...(isDefault === true && { is_default: isDefault }),
        // A shopper's own id is set by Hasura from the session; its role has no such column to write.
        ...(principal.kind !== 'customer' && { customer_id: toUuid(customerId) }),
      }),
  }),
  updateCustomerAddress: change<'updateCustomerAddress'>({
    record: 'Address',
    what: 'Address',
    write: (input, { id, isDefault }) =>
      update(addressTable, byId(id), {
        ...addressValues(input),
        ...(typeof isDefault === 'boolean' && { is_default: isDefault }),
      }),
  }),
  deleteCustomerAddress: deletion('Address', (id) => remove(addressTable, byId(id))),
}
