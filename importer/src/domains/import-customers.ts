import type { Outcome } from '../api/attempts.ts'
import { creation, field } from '../api/batch.ts'
import type { CommerceApi } from '../api/commerce-api.ts'
import {
  CreateCustomerAddressDocument,
  CreateCustomerDocument,
  CustomerByEmailDocument,
  UpdateCustomerDocument,
  type CustomerByEmailQuery,
} from '../generated/operations.ts'
import type { AddressRow, CustomerRow } from '../input/customer-row.ts'
import { missing } from './missing.ts'
import { runMutations, runQueries, Task, type OnExisting, type Starts } from './task.ts'

export interface CustomerImport {
  readonly api: CommerceApi
  readonly onExisting: OnExisting
  readonly starts: Starts<CustomerRow>
}

type ExistingCustomer = CustomerByEmailQuery['customers']['edges'][number]['node']

class CustomerTask extends Task<CustomerRow> {
  existing: ExistingCustomer | undefined
}

/**
 * One attempt at a batch of customers: looks up existing ones, creates or updates them, then adds missing addresses.
 */
export async function importCustomers(
  context: CustomerImport,
  rows: readonly CustomerRow[],
): Promise<Outcome[]> {
  const tasks = rows.map((row) => new CustomerTask(row))
  await findExisting(context, tasks)
  await context.starts.start(live(tasks).flatMap((task) => (task.existing === undefined ? [task.row] : [])))
  await runMutations(context.api, live(tasks).map(saveCustomer))
  await runMutations(context.api, live(tasks).flatMap(addAddresses))
  return tasks.map((task) => task.outcome)
}

const live = (tasks: readonly CustomerTask[]): CustomerTask[] => tasks.filter((task) => task.live)

async function findExisting(
  { api, onExisting, starts }: CustomerImport,
  tasks: readonly CustomerTask[],
): Promise<void> {
  const calls = tasks.map((task) => ({
    task,
    at: '',
    field: field(CustomerByEmailDocument, { email: task.row.email }),
    then({ edges }: CustomerByEmailQuery['customers']) {
      task.existing = edges[0]?.node
      if (task.existing === undefined || starts.wasStarted(task.row)) return
      task.becomes(onExisting === 'skip' ? 'skipped' : 'updated')
    },
  }))
  await runQueries(api, calls)
}

function saveCustomer(task: CustomerTask) {
  const { row, existing } = task
  const { email, name, phone, marketingOptIn, tags, notes } = row
  const shared = { email, name, phone, marketingOptIn, tags, notes }
  const saving =
    existing === undefined
      ? creation(CreateCustomerDocument, { input: { ...shared, addresses: defaultFirst(row.addresses) } })
      : field(UpdateCustomerDocument, { id: existing.id, input: shared })
  return { task, at: '', field: saving }
}

// The API makes the first address of a new customer the default one.
function defaultFirst(addresses: readonly AddressRow[] | undefined) {
  if (addresses === undefined) return undefined
  const sorted = addresses.toSorted((a, b) => Number(b.isDefault ?? false) - Number(a.isDefault ?? false))
  return sorted.map(addressInput)
}

const addressInput = ({ line1, line2, city, state, postalCode, country, phone }: AddressRow) => ({
  line1,
  line2,
  city,
  state,
  postalCode,
  country,
  phone,
})

// An address has no key, so one with the same lines counts as the same.
function addAddresses(task: CustomerTask) {
  const { existing } = task
  if (existing === undefined) return []
  const wanted = task.row.addresses ?? []
  const absent = missing(wanted, existing.addresses, {
    ofWanted: addressIdentity,
    ofPresent: addressIdentity,
  })
  return absent.map(({ index, value }) => ({
    task,
    at: `addresses.${index}`,
    field: creation(CreateCustomerAddressDocument, {
      customerId: existing.id,
      input: addressInput(value),
      isDefault: value.isDefault ?? false,
    }),
  }))
}

function addressIdentity(address: AddressRow | ExistingCustomer['addresses'][number]): string {
  const { line1, line2, city, state, postalCode, country, phone } = address
  return JSON.stringify([line1, line2 ?? '', city, state, postalCode, country, phone ?? ''])
}
