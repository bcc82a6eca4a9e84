import { createHash } from 'node:crypto'
import { join } from 'node:path'
import {
  type CustomerPrincipal,
  type GuestPrincipal,
  type KeyPrincipal,
  type OperatorPrincipal,
  type TenantPrincipal,
  shopperPermissions,
} from '@commerce-graph/auth-webhook'
import type { DataLayer } from '@commerce-graph/data-layer'
import { createMigratedDatabase } from '@commerce-graph/local-postgres/testing'
import {
  buildClientSchema,
  getIntrospectionQuery,
  type GraphQLSchema,
  type IntrospectionQuery,
} from 'graphql'
import pg from 'pg'
import { domains, domainSdl } from '@commerce-graph/contract'
import type { Role } from '../projection/types.ts'
import { openTestDataLayer } from './test-data-layer.ts'

/** Two merchants' shops (fixture.sql) in a new database, with the project's metadata on a real engine. */
export interface TestShop extends AsyncDisposable {
  readonly dataLayer: DataLayer
  /** The number of operations that the data layer has run since the last call. */
  readonly takeCount: () => number
  /** Hasura's own schema for a role. */
  readonly schemaOf: (role: Role) => Promise<GraphQLSchema>
  readonly sql: (statement: string) => Promise<readonly Readonly<Record<string, unknown>>[]>
}

export async function openTestShop(): Promise<TestShop> {
  const database = await createMigratedDatabase({
    migrations: join(import.meta.dirname, '../../../migrations/default'),
    fixture: join(import.meta.dirname, 'fixture.sql'),
  })
  const pool = new pg.Pool({ connectionString: database.url, max: 2 })
  const opened = await openTestDataLayer(database.url)
  const { dataLayer, takeCount } = counting(opened.dataLayer)
  return {
    dataLayer,
    takeCount,
    schemaOf: (role) => introspect(dataLayer, role),
    sql: async (statement) => (await pool.query<Record<string, unknown>>(statement)).rows,
    [Symbol.asyncDispose]: async () => {
      await opened.close()
      await pool.end()
      await database.drop()
    },
  }
}

function counting(inner: DataLayer): Pick<TestShop, 'dataLayer' | 'takeCount'> {
  let count = 0
  return {
    dataLayer: {
      ...inner,
      execute: (...args) => {
        count += 1
        return inner.execute(...args)
      },
    },
    takeCount: () => {
      const taken = count
      count = 0
      return taken
    },
  }
}

async function introspect(dataLayer: DataLayer, role: Role): Promise<GraphQLSchema> {
  const result = await dataLayer.execute({ query: getIntrospectionQuery() }, { 'x-hasura-role': role })
  if (result.kind !== 'data') throw new Error(JSON.stringify(result))
  return buildClientSchema(JSON.parse(result.json) as IntrospectionQuery, { assumeValid: true })
}

/** The id of a record in fixture.sql. */
export function fixtureId(kind: string, merchant: 1 | 2, number: number): string {
  const hex = createHash('md5').update(`${kind}:${merchant}:${number}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}

/** Every permission of the contract. */
export const everyPermission: readonly string[] = [
  ...new Set(
    domains.flatMap((domain) =>
      [...domainSdl(domain).matchAll(/@permission\(name: "([^"]+)"/g)].map(([, name]) => name ?? ''),
    ),
  ),
]

/** A key of a merchant, with every permission unless others are given. */
export function keyPrincipal(
  merchant: 1 | 2,
  permissions: readonly string[] = everyPermission,
): TenantPrincipal {
  const merchantId = fixtureId('merchant', merchant, 0) as KeyPrincipal['merchantId']
  return {
    kind: 'key',
    keyId: fixtureId('key', merchant, 1) as KeyPrincipal['keyId'],
    mode: 'live',
    merchantId,
    permissions: new Set(permissions),
    plan: 'PRO',
    features: ['catalog'],
    sessionVariables: {
      'x-hasura-role': 'merchant',
      'x-hasura-merchant-id': merchantId,
      'x-hasura-principal-id': fixtureId('key', merchant, 1),
      'x-hasura-permissions': `{${permissions.join()}}`,
    },
  }
}

/** An operator of the platform. */
export const operatorPrincipal: OperatorPrincipal = {
  kind: 'operator',
  operatorKeyId: fixtureId('key', 1, 9) as OperatorPrincipal['operatorKeyId'],
  permissions: new Set(),
  sessionVariables: { 'x-hasura-role': 'operator' },
}

/** A shopper: the first customer of a merchant unless another is given. */
export function customerPrincipal(merchant: 1 | 2, customer = 1): TenantPrincipal {
  const merchantId = fixtureId('merchant', merchant, 0) as CustomerPrincipal['merchantId']
  const customerId = fixtureId('customer', merchant, customer) as CustomerPrincipal['customerId']
  return {
    kind: 'customer',
    customerId,
    sessionId: null,
    network: null,
    merchantId,
    permissions: new Set(shopperPermissions),
    plan: 'PRO',
    features: ['catalog'],
    sessionVariables: {
      'x-hasura-role': 'customer',
      'x-hasura-merchant-id': merchantId,
      'x-hasura-customer-id': customerId,
      'x-hasura-permissions': `{${shopperPermissions.join()}}`,
    },
  }
}

/** A visitor of a page that has a merchant's publishable key, without a cart. */
export function guestPrincipal(merchant: 1 | 2): TenantPrincipal {
  const merchantId = fixtureId('merchant', merchant, 0) as GuestPrincipal['merchantId']
  const keyId = fixtureId('key', merchant, 1) as GuestPrincipal['keyId']
  return {
    kind: 'guest',
    keyId,
    maxAge: 0,
    place: 'test',
    merchantId,
    plan: 'PRO',
    features: ['catalog'],
    permissions: new Set(),
    sessionVariables: {
      'x-hasura-role': 'guest',
      'x-hasura-merchant-id': merchantId,
      'x-hasura-permissions': '{}',
      'x-hasura-key-id': keyId,
      'x-hasura-cart-secret-hash': '\\x',
    },
  }
}
