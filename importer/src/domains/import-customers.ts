import { z } from 'zod'
import type { Outcome } from '../api/attempts.ts'
import type { CommerceApi } from '../api/commerce-api.ts'
import type { Field } from '../api/fields.ts'
import type { AddressRow, CustomerRow } from '../input/customer-row.ts'
import { missing } from './missing.ts'
import { runMutations, runQueries, Task, type Call, type OnExisting, type Starts } from './task.ts'

export interface CustomerImport {
  readonly api: CommerceApi
  readonly onExisting: OnExisting
  readonly starts: Starts<CustomerRow>
}

const addressNode = z.object({
  line1: z.string(),
  line2: z.string().nullish(),
  city: z.string(),
  state: z.string(),
  postalCode: z.string(),
  country: z.string(),
  phone: z.string().nullish(),
})

const existingCustomers = z.object({
  edges: z.array(z.object({ node: z.object({ id: z.string(), addresses: z.array(addressNode) }) })),
})

type ExistingCustomer = z.infer<typeof existingCustomers>['edges'][number]['node']

class CustomerTask extends Task<CustomerRow> {
  existing: ExistingCustomer | undefined
}

/** One attempt at a batch of customers: look who is there, create or change them, then add addresses they lack. */
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
  const calls = tasks.map((task): Call<CustomerRow> => ({
    task,
    at: '',
    field: {
      name: 'customers',
      arguments: {
        first: { type: 'Int', value: 1 },
        filters: { type: 'CustomerFilters', value: { email: task.row.email } },
      },
      selection: 'edges { node { id addresses { line1 line2 city state postalCode country phone } } }',
    },
    then(value) {
      task.existing = existingCustomers.parse(value).edges[0]?.node
      if (task.existing === undefined || starts.wasStarted(task.row)) return
      task.becomes(onExisting === 'skip' ? 'skipped' : 'updated')
    },
  }))
  await runQueries(api, calls)
}

function saveCustomer(task: CustomerTask): Call<CustomerRow> {
  const { row, existing } = task
  const { email, name, phone, marketingOptIn, tags, notes } = row
  const shared = { email, name, phone, marketingOptIn, tags, notes }
  const selection = 'customer { id } errors { field message code }'
  const field: Field =
    existing === undefined
      ? {
          name: 'createCustomer',
          creates: true,
          arguments: {
            input: { type: 'CustomerInput!', value: { ...shared, addresses: defaultFirst(row.addresses) } },
          },
          selection,
        }
      : {
          name: 'updateCustomer',
          arguments: {
            id: { type: 'ID!', value: existing.id },
            input: { type: 'UpdateCustomerInput!', value: shared },
          },
          selection,
        }
  return { task, at: '', field }
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

// An address has no key of its own. So one with the same lines is taken for the same.
function addAddresses(task: CustomerTask): Call<CustomerRow>[] {
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
    field: {
      name: 'createCustomerAddress',
      creates: true,
      arguments: {
        customerId: { type: 'ID!', value: existing.id },
        input: { type: 'AddressInput!', value: addressInput(value) },
        isDefault: { type: 'Boolean', value: value.isDefault ?? false },
      },
      selection: 'address { id } errors { field message code }',
    },
  }))
}

function addressIdentity(address: z.infer<typeof addressNode>): string {
  const { line1, line2, city, state, postalCode, country, phone } = address
  return JSON.stringify([line1, line2 ?? '', city, state, postalCode, country, phone ?? ''])
}
