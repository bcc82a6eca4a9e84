import { generateApiKey, hashApiKey } from '@commerce-graph/auth-webhook'
import { applySeeds, type HasuraApi } from '@commerce-graph/hasura-cli'
import { join } from 'node:path'
import type { Sql } from '@commerce-graph/postgres-driver'
import { z } from 'zod'
import type { PlatformConfig } from './configuration.ts'
import type { DataFolder } from './data-folder.ts'
import { PlatformError } from './platform-error.ts'
import { root, source, sqlError } from './prepare-schema.ts'

/** The merchant that `seeds/` is about, and its keys in clear. */
export interface DemoShop {
  readonly merchantId: string
  readonly liveKey: string
  readonly testKey: string
}

/** As seeds/default/01_merchants.sql has it. */
const demoMerchant = '01a1f000-0001-7000-8000-000000000001'

/**
 * Seeds the demo shop into a database without merchants, once: what is changed or deleted later stays so. A run that
 * was cut short is finished by the next one. Returns undefined for a database that has other merchants only.
 */
async function openDemoShop(sql: Sql, api: HasuraApi, folder: DataFolder): Promise<DemoShop | undefined> {
  await seedDemoShop(sql, api)
  return (await hasDemoShop(sql)) ? keptKeys(sql, folder) : undefined
}

/**
 * The demo shop, where it has a place. Its keys may do everything, so a live deployment has none in a database that others
 * use. @throws PlatformError for a live deployment on a database that was a test deployment's
 */
export async function demoShopOf(
  { mode, databaseUrl, demoShop }: PlatformConfig,
  { sql, api, folder }: { readonly sql: Sql; readonly api: HasuraApi; readonly folder: DataFolder },
): Promise<DemoShop | undefined> {
  if (demoShop ?? (mode === 'test' || databaseUrl === undefined)) return openDemoShop(sql, api, folder)
  if (await hasDemoShop(sql))
    throw new PlatformError(
      'The database of DATABASE_URL holds the demo shop of a test deployment, whose keys may do everything. A live deployment needs a database of its own.',
    )
  return undefined
}

async function hasDemoShop(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from merchant.merchant where id = ${demoMerchant}`
  return rows.length > 0
}

/** Fills a database without merchants, or one whose seeding was cut short. */
export async function seedDemoShop(sql: Sql, api: HasuraApi): Promise<void> {
  const [state] = await sql<{ empty: boolean; seeding: boolean }[]>`
    select not exists (select from merchant.merchant) as empty,
           coalesce(obj_description('merchant'::regnamespace, 'pg_namespace') = ${seeding}, false) as seeding`
  if (state?.empty !== true && state?.seeding !== true) return
  // The mark is in the database that it is about, so it can't be lost or copied apart from it.
  await sql`comment on schema merchant is 'seeding the demo shop'`
  const outcome = await applySeeds({ api, directory: join(root, 'seeds', source), database: source })
  if (outcome.kind === 'failed') throw sqlError(outcome.failure)
  await sql`comment on schema merchant is null`
}

const seeding = 'seeding the demo shop'

const keysFile = z.object({ merchantId: z.literal(demoMerchant), liveKey: z.string(), testKey: z.string() })

/**
 * The keys of the demo shop: random, in clear only in the data folder. The file comes first and the database is
 * brought in line with it, so a start that is cut short in between leaves no key that nobody knows.
 */
async function keptKeys(sql: Sql, folder: DataFolder): Promise<DemoShop> {
  const kept = folder.read('keys.json', keysFile)
  const shop = kept ?? {
    merchantId: demoMerchant,
    liveKey: generateApiKey('live').key,
    testKey: generateApiKey('test').key,
  }
  if (kept === undefined) folder.write('keys.json', shop)
  await storeKey(sql, 'live', shop.liveKey)
  await storeKey(sql, 'test', shop.testKey)
  return shop
}

async function storeKey(sql: Sql, mode: 'live' | 'test', key: string): Promise<void> {
  const prefix = key.slice(0, generateApiKey(mode).prefix.length)
  await sql`
    insert into merchant.api_key (merchant_id, name, mode, prefix, hash, permissions)
    select ${demoMerchant}, ${`Demo ${mode} key`}, ${mode}, ${prefix}, ${hashApiKey(key)}, array_agg(name order by name)
    from merchant.permission
    on conflict (hash) do nothing`
}
