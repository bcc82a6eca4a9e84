import { randomBytes } from 'node:crypto'
import { createSecretBox } from '@commerce-graph/secret-box'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql'
import postgres from '@commerce-graph/postgres-driver'
import { createClient, type Client } from '../support/graphql-client.ts'
import { startTestPlatform, type TestPlatform } from '../support/test-platform.ts'
import { Callers } from './callers.ts'
import { headersOf, twoGuests } from './guests.ts'
import { fillEmptyTables } from './rows-of-each-table.ts'
import { trackedTables, type TrackedTable } from './tracked-tables.ts'

/** The paths of Hasura's own API. */
export type HasuraPath = '/v1/graphql' | '/v1beta1/relay'
export type Path = '/graphql' | HasuraPath

/** A platform with the demo shop, a row in each of its tables, and all kinds of callers. */
export interface Matrix {
  readonly platform: TestPlatform
  readonly sql: postgres.Sql
  readonly callers: Callers
  /** All permissions. */
  readonly permissions: readonly string[]
  /** The ids of two shoppers who have ordered something. */
  readonly customers: readonly [string, string]
  readonly tracked: readonly TrackedTable[]
  url(path: Path): string
  client(path: Path, credential: string): Client
  shopper(number: 0 | 1): Promise<string>
  /** The publishable key and the secret of one of two carts: `client` sends both. */
  guest(number: 0 | 1): string
  /** The schema that introspection shows to a caller. */
  schemaFor(path: Path, credential: string): Promise<GraphQLSchema>
  close(): Promise<void>
}

/** @param mode `test` for the payment sandbox, which charges cards */
export async function openMatrix(mode: 'live' | 'test' = 'live'): Promise<Matrix> {
  const encryptionKeys = [{ id: 'matrix', key: randomBytes(32) }]
  const platform = await startTestPlatform({ encryptionKeys, mode })
  const { merchantId, graphqlUrl, hasuraUrl, adminSecret, databaseUrl } = platform
  const sql = postgres(databaseUrl, { max: 2, onnotice: () => undefined })
  const customers = await twoCustomers(sql, merchantId)
  const secretBox = createSecretBox(encryptionKeys)
  await fillEmptyTables(sql, { merchantId, customerId: customers[0] }, secretBox)
  const callers = new Callers(sql, merchantId, databaseUrl, secretBox)
  const permissions = await sql<{ name: string }[]>`SELECT name FROM merchant.permission`
  const url = (path: Path) => (path === '/graphql' ? graphqlUrl : hasuraUrl + path)
  const client = (path: Path, credential: string) => createClient(url(path), headersOf(credential))
  const guests = await twoGuests(sql, merchantId)
  return {
    platform,
    sql,
    callers,
    permissions: permissions.map(({ name }) => name),
    customers,
    tracked: await trackedTables(hasuraUrl, adminSecret),
    url,
    client,
    guest: (number) => guests[number],
    shopper: (number) => callers.shopper(customers[number]),
    async schemaFor(path, credential) {
      const { data, text } = await client(path, credential)<IntrospectionQuery>(getIntrospectionQuery())
      if (data === null) throw new Error(`${path} can't be introspected: ${text}`)
      return buildClientSchema(data)
    },
    async close() {
      await callers.close()
      await sql.end()
      await platform.stop()
    },
  }
}

/** Two customers with orders; first those with returns, because they have the most data. */
async function twoCustomers(sql: postgres.Sql, merchantId: string): Promise<readonly [string, string]> {
  const [first, second] = await sql<{ customer_id: string }[]>`
    SELECT o.customer_id FROM ordering.order o
    LEFT JOIN ordering.order_return r ON r.merchant_id = o.merchant_id AND r.order_id = o.id
    WHERE o.merchant_id = ${merchantId}
    GROUP BY 1 ORDER BY count(r.id) DESC, count(*) DESC, 1 LIMIT 2`
  if (first === undefined || second === undefined) throw new Error('there are no two customers with orders')
  return [first.customer_id, second.customer_id]
}
