import { generateApiKey, hashApiKey } from '@commerce-graph/auth-webhook'
import { applySeeds, type HasuraApi, type SeedOutcome } from '@commerce-graph/hasura-cli'
import { join } from 'node:path'
import type { Sql } from '@commerce-graph/postgres-driver'
import { z } from 'zod'

/** The merchant that the seeds are about, and its keys in clear. */
export interface DemoShop {
  readonly merchantId: string
  readonly liveKey: string
  readonly testKey: string
}

/** Where the keys are kept in clear. */
export interface KeysFile {
  /** What was written, or undefined when there is none. */
  readonly read: (schema: z.ZodType<DemoShop>) => DemoShop | undefined
  readonly write: (shop: DemoShop) => void
}

/** As seeds/default/01_merchants.sql has it. */
const demoMerchant = '01a1f000-0001-7000-8000-000000000001'

export async function hasDemoShop(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from merchant.merchant where id = ${demoMerchant}`
  return rows.length > 0
}

/**
 * Seeds the demo shop into a database without merchants, or into one whose seeding was cut short. Elsewhere it does nothing: what
 * is changed or deleted later stays so.
 */
export async function seedDemoShop(sql: Sql, api: HasuraApi): Promise<SeedOutcome> {
  const [state] = await sql<{ empty: boolean; seeding: boolean }[]>`
    select not exists (select from merchant.merchant) as empty,
           coalesce(obj_description('merchant'::regnamespace, 'pg_namespace') = ${seeding}, false) as seeding`
  if (state?.empty !== true && state?.seeding !== true) return { kind: 'seeded', files: [] }
  // The mark is in the database that it is about, so it can't be lost or copied apart from it.
  await sql`comment on schema merchant is 'seeding the demo shop'`
  const directory = join(import.meta.dirname, '../seeds/default')
  const outcome = await applySeeds({ api, directory, database: 'default' })
  if (outcome.kind === 'seeded') await sql`comment on schema merchant is null`
  return outcome
}

const seeding = 'seeding the demo shop'

const keptShop = z.object({ merchantId: z.literal(demoMerchant), liveKey: z.string(), testKey: z.string() })

/**
 * The keys of the demo shop: random, in clear only in the file. The file comes first and the database is brought in line with it,
 * so the database never has a key that the file doesn't name, even after a start that was cut short in between.
 */
export async function keepDemoKeys(sql: Sql, file: KeysFile): Promise<DemoShop> {
  const kept = file.read(keptShop)
  const shop = kept ?? {
    merchantId: demoMerchant,
    liveKey: generateApiKey('live').key,
    testKey: generateApiKey('test').key,
  }
  if (kept === undefined) file.write(shop)
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
