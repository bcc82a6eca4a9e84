import { randomUUID } from 'node:crypto'
import { getNamedType, isObjectType, type GraphQLField } from 'graphql'
import type postgres from '@commerce-graph/postgres-driver'
import { projections } from '../../gateway/src/projection/projections.ts'

/** The table of each type of the contract that has one: `Product` is `catalog.product`. */
export async function tablesByType(sql: postgres.Sql): Promise<ReadonlyMap<string, string>> {
  const tables = await sql<{ name: string; table: string }[]>`
    SELECT n.nspname || '_' || c.relname AS name, format('%I.%I', n.nspname, c.relname) AS table
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'v')`
  const byName = new Map(tables.map(({ name, table }) => [name, table]))
  return new Map(
    [...projections.types].flatMap(([name, { type, table }]) => {
      const found = name === type ? byName.get(table) : undefined
      return found === undefined ? [] : [[type, found] as const]
    }),
  )
}

/** The types of ids whose names don't contain the type, and of `id` in mutations whose names don't contain it. */
const called: Readonly<Record<string, string>> = {
  service: 'BookingService',
  staff: 'StaffMember',
  parent: 'Category',
  fromWarehouse: 'Warehouse',
  toWarehouse: 'Warehouse',
  variant: 'ProductVariant',
  segment: 'CustomerSegment',
  removeItem: 'OrderItem',
  createFileDownload: 'File',
  removeIPWhitelist: 'IPWhitelistEntry',
}

/**
 * The type that a value of this name identifies. The name itself says it (`productId`; `itemId` of
 * `removeCartItem`); for a plain `id`, the mutation's name (`cancelOrder`) or its payload says it.
 */
export function typeOfId(
  name: string,
  mutation: GraphQLField<unknown, unknown>,
  types: ReadonlyMap<string, string>,
): string | undefined {
  if (/^ids?$/.test(name)) {
    const words = mutation.name.split(/(?=[A-Z])/)
    const named = words.map((_, index) => words.slice(index).join('')).find((word) => types.has(word))
    return called[mutation.name] ?? named ?? answeredTypes(mutation).find((type) => types.has(type))
  }
  const stem = name.replace(/Ids?$/, '')
  const type = called[stem] ?? stem.charAt(0).toUpperCase() + stem.slice(1)
  if (types.has(type)) return type
  return [...types.keys()].find(
    (longer) => longer.endsWith(type) && mutation.name.includes(longer.slice(0, -type.length)),
  )
}

function answeredTypes(mutation: GraphQLField<unknown, unknown>): readonly string[] {
  const payload = getNamedType(mutation.type)
  return isObjectType(payload)
    ? Object.values(payload.getFields()).map((field) => getNamedType(field.type).name)
    : []
}

/** The row to choose for types whose mutations depend on the row's state. */
const preferred: Readonly<Record<string, string>> = {
  Order: "status = 'PENDING'",
  Cart: 'customer_id IS NULL',
  Transfer: "status = 'DRAFT'",
  IncomingStock: 'transfer_id IS NULL',
  Appointment: "status = 'SCHEDULED'",
  MetadataDefinition: "type = 'LIST_OF_TEXT'",
}

/** One row of each type's table that belongs to a merchant. */
export async function rowsOf(
  sql: postgres.Sql,
  merchantId: string,
  types: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const rows = new Map<string, string>()
  for (const [type, table] of types) {
    const [columns] = await sql<[{ count: number }]>`
      SELECT count(*)::int AS count FROM pg_attribute
      WHERE attrelid = ${table}::regclass AND attname IN ('id', 'merchant_id') AND NOT attisdropped`
    if (columns.count < 2) continue
    const [row] = await sql.unsafe<{ id: string }[]>(
      `SELECT id FROM ${table} WHERE merchant_id = $1 ORDER BY (CASE WHEN ${preferred[type] ?? 'true'} THEN 0 ELSE 1 END), id LIMIT 1`,
      [merchantId],
    )
    if (row !== undefined) rows.set(type, row.id)
  }
  return rows
}

/** A shopper with a password: without a valid sign-in, the API reports no other error. */
export const registered = {
  email: 'registered@example.com',
  password: 'correct horse battery staple',
  name: 'Registered',
}

/** The demo shop sells this SKU (demo/shop/seeds/default/02_catalog.sql). */
const sku = 'AP-RIDGE-TARP'

/** A value with the form that the type needs. `name` is the field's name, for types whose form depends on it. */
export function goodValue(name: string, type: string, mutation: GraphQLField<unknown, unknown>): unknown {
  switch (type) {
    case 'Int':
      return 1
    case 'Float':
      return 0.1
    case 'Money':
      return 100
    case 'Boolean':
      // These methods are for cash and transfers only; the sample payment is by card.
      return name === 'received' ? null : true
    case 'DateTime':
      if (name === 'scheduledAt') return new Date(Date.now() + 30 * 24 * 60 * 60_000).toISOString()
      return name.startsWith('end') ? '2031-01-01T00:00:00Z' : '2030-01-01T00:00:00Z'
    case 'Date':
      return '2030-01-01'
    case 'URL':
      return 'https://example.com/x.png'
    case 'EmailAddress':
      if (mutation.name === 'signInCustomer') return registered.email
      return `${randomUUID()}@example.com`
    case 'JSON':
      return {}
    default:
      return goodText(name, mutation)
  }
}

function goodText(name: string, mutation: GraphQLField<unknown, unknown>): string {
  switch (name) {
    case 'country':
    case 'countries':
      return 'US'
    case 'currency':
    case 'currencies':
      return 'USD'
    case 'timezone':
    case 'timeZone':
      return 'Europe/Berlin'
    case 'origins':
      return 'https://shop.example'
    case 'topic':
    case 'topics':
      return 'order.created'
    case 'field':
      return 'status'
    case 'query':
      return '{ id }'
    case 'clientId':
      return 'sandbox_of_the_test'
    case 'secretKey':
      return 'sk_test_sandbox_of_the_test'
    case 'webhookSecret':
      return 'whsec_of_the_test'
    case 'phone':
      return '+49 30 123456'
    case 'paymentMethodId':
      return 'pm_card_visa'
    case 'password':
      return registered.password
    case 'ip':
      return '10.9.8.0/24'
    case 'email':
      return `${randomUUID()}@example.com`
    case 'sku':
    case 'code':
      // The name of a new record must be new; the name of an existing record must exist.
      if (/Inventory|Stock|Transfer/.test(mutation.name)) return sku
      return randomUUID().toUpperCase()
    case 'externalId':
    case 'slug':
      return randomUUID()
    case 'startTime':
      return '09:00'
    case 'endTime':
      return '17:00'
    default:
      return 'ABC-1'
  }
}
