import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'
import { z } from 'zod'

/** `none` (open to every caller of a merchant), a list of permissions that are all needed, or `operator`. */
const permissions = z
  .string()
  .regex(/^(none|operator|[a-z_]+:[a-z]+( [a-z_]+:[a-z]+)*)$/)
  // Operators' rights are not permissions, so that no other caller can be given them.
  .transform((text) => (text === 'none' || text === 'operator' ? [] : text.split(' ')))

/** For an operation of a table: the needed permissions, or null if no caller may do it. */
const grantable = z.union([z.literal('-').transform(() => null), permissions])

/** SVC_AUTH_002 is the answer to an invalid refresh token. */
const outcome = z.enum(['allowed', 'SVC_AUTH_002', 'SVC_AUTH_003'])

const rootField = z.object({
  field: z.string().regex(/^(query|mutation|subscription)\.\w+$/),
  permission: permissions,
  key: outcome,
  user: outcome,
  shopper: outcome,
  'without it': z.enum(['-', 'SVC_AUTH_003']),
  guest: outcome,
  operator: z.enum(['allowed', 'SVC_AUTH_003']),
})

const contractType = z.object({
  type: z.string().regex(/^\w+(\.\w+)?$/),
  permission: permissions,
  shopper: outcome,
  guest: outcome,
})

const table = z.object({
  table: z.string().regex(/^\w+\.\w+$/),
  read: grantable,
  insert: grantable,
  update: grantable,
  delete: grantable,
  /** Their own rows; the shop's rows, the same for every shopper; or some of the shop's and their own. */
  'shopper reads': z.enum(['-', 'own', 'shop', 'both']),
  'shopper inserts': z.enum(['-', 'own']),
  'shopper updates': z.enum(['-', 'own']),
  'shopper deletes': z.enum(['-', 'own']),
  /** The rows of guests: those of the cart whose secret they send. Guests write through actions only. */
  'guest reads': z.enum(['-', 'own', 'shop', 'both']),
  'operator reads': z.enum(['-', 'all']),
})

const operation = z.object({
  operation: z.string().regex(/^(action|function)\.\w+$/),
  permission: permissions,
  key: z.union([outcome, z.literal('absent')]),
  user: z.union([outcome, z.literal('absent')]),
  shopper: z.union([outcome, z.literal('absent')]),
  guest: z.union([outcome, z.literal('absent')]),
  operator: z.enum(['absent', 'allowed']),
})

const columns = z.object({
  table: z.string().regex(/^\w+\.\w+$/),
  role: z.enum(['merchant', 'customer', 'guest', 'operator']),
  operation: z.enum(['select', 'insert', 'update']),
  columns: z.string().transform((text) => text.split(' ').filter((name) => name !== '')),
})

const credential = z.object({ credential: z.string(), contract: z.string(), hasura: z.string() })

/** What a part may do with a column. Nothing, or reading, writing (INSERT and UPDATE), or both. */
const columnRights = z.enum(['-', 'read', 'write', 'read write'])

const credentialColumn = z.object({
  column: z.string().regex(/^\w+\.\w+\.\w+$/),
  engine: columnRights,
  actions: columnRights,
  auth: columnRights,
  worker: columnRights,
  reader: columnRights,
  /** `no credential`, and what it is, if only its name looks like one. */
  content: z.string().min(1),
})

export type RootFieldRow = z.output<typeof rootField>
export type ContractTypeRow = z.output<typeof contractType>
export type TableRow = z.output<typeof table>
export type OperationRow = z.output<typeof operation>

/** Every root field of /graphql, by `query.orders`. */
export const rootFields = (): ReadonlyMap<string, RootFieldRow> =>
  read('root-fields.csv', rootField, ({ field }) => field)
/**
 * The permissions that types of /graphql need in addition to the root field's, and the fields that need more than
 * their type.
 */
export const contractTypes = (): ReadonlyMap<string, ContractTypeRow> =>
  read('types.csv', contractType, ({ type }) => type)
/** Every table that Hasura tracks, by `ordering.order`. */
export const tables = (): ReadonlyMap<string, TableRow> => read('tables.csv', table, (row) => row.table)
/** Hasura's actions and functions, by `action.createOrder`. */
export const operations = (): ReadonlyMap<string, OperationRow> =>
  read('operations.csv', operation, (row) => row.operation)
/** Which columns of a table a role reads, inserts or updates through Hasura's own API, by `crm.customer customer update`. */
export const tableColumns = () =>
  read('columns.csv', columns, ({ table, role, operation }) => `${table} ${role} ${operation}`)
/** Columns with credentials, or with names like theirs, by `identity.totp.secret`. */
export const credentialColumns = () =>
  read('credential-columns.csv', credentialColumn, ({ column }) => column)
/** Invalid credentials, and the answers to them. */
export const refusedCredentials = () => read('credentials.csv', credential, (row) => row.credential)

function read<Schema extends z.ZodType>(
  file: string,
  schema: Schema,
  nameOf: (row: z.output<Schema>) => string,
): ReadonlyMap<string, z.output<Schema>> {
  const text = readFileSync(new URL(`expected/${file}`, import.meta.url))
  const rows = new Map<string, z.output<Schema>>()
  for (const [index, raw] of parse(text, { columns: true }).entries()) {
    const row = schema.safeParse(raw)
    if (!row.success) throw new Error(`${file}, line ${index + 2}: ${z.prettifyError(row.error)}`)
    const name = nameOf(row.data)
    if (rows.has(name)) throw new Error(`${file} has ${name} twice`)
    rows.set(name, row.data)
  }
  return rows
}
