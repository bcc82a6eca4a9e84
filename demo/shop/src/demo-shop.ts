import { generateApiKey, generatePublishableKey, hashApiKey, prefixOf } from '@commerce-graph/auth-webhook'
import { applySeeds, type HasuraApi, type SeedOutcome } from '@commerce-graph/hasura-cli'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Sql } from '@commerce-graph/postgres-driver'
import { z } from 'zod'

/** The merchant of the seeds, and its keys as plain text. */
export interface DemoShop {
  readonly merchantId: string
  readonly liveKey: string
  readonly testKey: string
  /** For pages of the developer's own machine, as it is bound to no origin. */
  readonly publishableKey: string
  /** The owner, who signs in at /admin with this password. */
  readonly userEmail: string
  readonly userPassword: string
}

/** The storage of the plain-text keys. */
export interface KeysFile {
  /** The stored keys, or undefined if there are none. */
  readonly read: (schema: z.ZodType<DemoShop>) => DemoShop | undefined
  readonly write: (shop: DemoShop) => void
}

/** The owner in seeds/default/09_identity.sql. */
const demoUser = 'mara@alderandpine.example'

/** The id in seeds/default/01_merchants.sql. */
const demoMerchant = '01a1f000-0001-7000-8000-000000000001'

export async function hasDemoShop(sql: Sql): Promise<boolean> {
  const rows = await sql`select 1 from merchant.merchant where id = ${demoMerchant}`
  return rows.length > 0
}

/**
 * Seeds the demo shop into a database without merchants, or into one whose seeding was interrupted. Otherwise it
 * does nothing, so that later changes and deletions are kept.
 */
export async function seedDemoShop(sql: Sql, api: HasuraApi): Promise<SeedOutcome> {
  const [state] = await sql<{ empty: boolean; seeding: boolean }[]>`
    select not exists (select from merchant.merchant) as empty,
           coalesce(obj_description('merchant'::regnamespace, 'pg_namespace') = ${seeding}, false) as seeding`
  if (state?.empty !== true && state?.seeding !== true) return { kind: 'seeded', files: [] }
  // The marker is in the same database, so that it can't be lost or copied separately.
  await sql`comment on schema merchant is 'seeding the demo shop'`
  const directory = join(import.meta.dirname, '../seeds/default')
  const outcome = await applySeeds({ api, directory, database: 'default' })
  if (outcome.kind === 'seeded') await sql`comment on schema merchant is null`
  return outcome
}

const seeding = 'seeding the demo shop'

/** A file of before publishable keys, or of before `/admin`, has none. */
const keptShop = (place: string) =>
  z.object({
    merchantId: z.literal(demoMerchant),
    liveKey: z.string(),
    testKey: z.string(),
    publishableKey: z.string().default(() => generatePublishableKey(place).key),
    userEmail: z.string().default(demoUser),
    userPassword: z.string().default(newPassword),
  })

const newPassword = (): string => randomBytes(12).toString('base64url')

/**
 * The keys of the demo shop: random, and as plain text only in the file. The file is written first and the database
 * second, so the database never has a key that the file lacks, even after an interrupted start.
 */
export async function keepDemoKeys(sql: Sql, file: KeysFile): Promise<DemoShop> {
  const [{ place }] = await sql<[{ place: string }]>`select platform.place() as place`
  const shop = file.read(keptShop(place)) ?? {
    merchantId: demoMerchant,
    liveKey: generateApiKey('live', place).key,
    testKey: generateApiKey('test', place).key,
    publishableKey: generatePublishableKey(place).key,
    userEmail: demoUser,
    userPassword: newPassword(),
  }
  file.write(shop)
  await storeKey(sql, 'live', shop.liveKey)
  await storeKey(sql, 'test', shop.testKey)
  await storePublishableKey(sql, shop.publishableKey)
  return shop
}

/**
 * Gives the demo shop's owner the password of the file, if the owner has none: one that was set since is kept.
 *
 * @param hash as the platform hashes passwords
 */
export async function keepDemoPassword(
  sql: Sql,
  { merchantId, userEmail, userPassword }: DemoShop,
  hash: (password: string) => Promise<string>,
): Promise<void> {
  const [user] = await sql<{ id: string }[]>`
    select u.id from identity.user u
    where u.merchant_id = ${merchantId} and u.email = ${userEmail} and u.status = 'ACTIVE'
      and not exists (select from identity.credential p where p.merchant_id = u.merchant_id and p.user_id = u.id)`
  if (user === undefined) return
  await sql`
    insert into identity.credential (merchant_id, user_id, password_hash)
    values (${merchantId}, ${user.id}, ${await hash(userPassword)})
    on conflict do nothing`
}

async function storeKey(sql: Sql, mode: 'live' | 'test', key: string): Promise<void> {
  const prefix = prefixOf(key)
  await sql`
    with key as (
      insert into merchant.api_key (merchant_id, name, mode, prefix, permissions)
      select ${demoMerchant}, ${`Demo ${mode} key`}, ${mode}, ${prefix}, array_agg(name order by name)
      from merchant.permission
      where not exists (select from merchant.api_key_hash where hash = ${hashApiKey(key)})
      having count(*) > 0
      returning merchant_id, id
    )
    insert into merchant.api_key_hash (merchant_id, key_id, hash) select merchant_id, id, ${hashApiKey(key)} from key`
}

async function storePublishableKey(sql: Sql, key: string): Promise<void> {
  const prefix = prefixOf(key)
  await sql`
    with key as (
      insert into merchant.api_key (merchant_id, name, kind, prefix, publishable_key, permissions)
      select ${demoMerchant}, 'Demo publishable key', 'PUBLISHABLE', ${prefix}, ${key}, '{}'
      where not exists (select from merchant.api_key_hash where hash = ${hashApiKey(key)})
      returning merchant_id, id
    )
    insert into merchant.api_key_hash (merchant_id, key_id, hash) select merchant_id, id, ${hashApiKey(key)} from key`
}
