import type { Queryable } from '../../../database.ts'
import { emit } from '../emit-event.ts'
import type { AttachedMethod, Customer, SetupIntent } from './vault-objects.ts'

/** The customers and their saved methods, inside of one transaction. */
export interface VaultLedger {
  findCustomer(id: string): Promise<Customer | null>
  saveCustomer(customer: Customer): Promise<void>
  /** With its methods. */
  deleteCustomer(id: string): Promise<void>
  findMethod(id: string): Promise<AttachedMethod | null>
  listMethods(customer: string, limit: number): Promise<readonly AttachedMethod[]>
  saveMethod(method: AttachedMethod): Promise<void>
  /** Locked until the transaction ends. */
  findSetup(id: string): Promise<SetupIntent | null>
  /** The customer's newest. */
  listSetups(customer: string, limit: number): Promise<readonly SetupIntent[]>
  saveSetup(setup: SetupIntent): Promise<void>
}

const tables = ['customer', 'payment_method', 'setup_intent'] as const

export async function createVaultTables(sql: Queryable): Promise<void> {
  for (const table of tables)
    await sql`
      CREATE TABLE IF NOT EXISTS sandbox_processor.${sql(table)} (
        id text PRIMARY KEY, account text NOT NULL, body jsonb NOT NULL
      )`
}

/** @param account null: the sandbox's own pages, which see every account's and make nothing */
export function vaultLedger(sql: Queryable, account: string | null): VaultLedger {
  const find = async <T>(table: (typeof tables)[number], id: string): Promise<T | null> => {
    const [row] = await sql<{ body: T }[]>`
      SELECT body FROM sandbox_processor.${sql(table)}
      WHERE id = ${id} AND (${account}::text IS NULL OR account = ${account}) FOR UPDATE`
    return row?.body ?? null
  }
  const listOf = async <T>(table: (typeof tables)[number], customer: string, limit: number): Promise<T[]> => {
    const rows = await sql<{ body: T }[]>`
      SELECT body FROM sandbox_processor.${sql(table)} WHERE body ->> 'customer' = ${customer} AND account = ${account}
      ORDER BY (body -> 'created')::bigint DESC, id LIMIT ${limit}`
    return rows.map(({ body }) => body)
  }
  /** What the pages change is there already, with its account. */
  const save = async (
    table: (typeof tables)[number],
    object: { readonly id: string },
    owner: string | null,
  ) => {
    await sql`
      INSERT INTO sandbox_processor.${sql(table)} (id, account, body) VALUES (${object.id}, coalesce(${account}, (
        SELECT account FROM sandbox_processor.customer WHERE id = ${owner}
      )), ${sql.json(object)})
      ON CONFLICT (id) DO UPDATE SET body = excluded.body`
  }
  return {
    findCustomer: (id) => find<Customer>('customer', id),
    saveCustomer: (customer) => save('customer', customer, null),
    async deleteCustomer(id) {
      await sql`DELETE FROM sandbox_processor.payment_method WHERE body ->> 'customer' = ${id} AND account = ${account}`
      await sql`DELETE FROM sandbox_processor.customer WHERE id = ${id} AND account = ${account}`
    },
    findMethod: (id) => find<AttachedMethod>('payment_method', id),
    listMethods: (customer, limit) => listOf<AttachedMethod>('payment_method', customer, limit),
    saveMethod: (method) => save('payment_method', method, method.customer),
    findSetup: (id) => find<SetupIntent>('setup_intent', id),
    listSetups: (customer, limit) => listOf<SetupIntent>('setup_intent', customer, limit),
    async saveSetup(setup) {
      await save('setup_intent', setup, setup.customer)
      await emit(sql, setupEvent(setup), setup, 'setup_intent')
    },
  }
}

/** Stripe's name for what has happened to a setup that stands so. */
function setupEvent({ status, last_setup_error: error }: SetupIntent): string {
  switch (status) {
    case 'succeeded':
      return 'setup_intent.succeeded'
    case 'canceled':
      return 'setup_intent.canceled'
    case 'requires_action':
      return 'setup_intent.requires_action'
    case 'requires_payment_method':
      return error === null ? 'setup_intent.created' : 'setup_intent.setup_failed'
    default:
      return status satisfies never
  }
}
