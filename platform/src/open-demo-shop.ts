import {
  type DemoShop,
  hasDemoShop,
  keepDemoKeys,
  keepDemoPassword,
  seedDemoShop,
} from '@commerce-graph/demo-shop'
import { hashPassword } from '@commerce-graph/actions'
import type { HasuraApi } from '@commerce-graph/hasura-cli'
import type { Sql } from '@commerce-graph/postgres-driver'
import type { PlatformConfig } from './configuration.ts'
import type { DataFolder } from './data-folder.ts'
import { PlatformError } from './platform-error.ts'
import { sqlError } from './prepare-schema.ts'

/**
 * The demo shop, if the deployment has one. Its keys have all permissions, so a live deployment has none in a
 * database that others use. Undefined if there is none, or if the database has other merchants only.
 * @throws PlatformError for a live deployment on a test deployment's database
 */
export async function openDemoShop(
  { mode, databaseUrl, demoShop }: PlatformConfig,
  { sql, api, folder }: { readonly sql: Sql; readonly api: HasuraApi; readonly folder: DataFolder },
): Promise<DemoShop | undefined> {
  if (demoShop ?? (mode === 'test' || databaseUrl === undefined)) {
    await fillWithDemoShop(sql, api)
    if (!(await hasDemoShop(sql))) return undefined
    const shop = await keepDemoKeys(sql, {
      read: (schema) => folder.read('keys.json', schema),
      write: (kept) => folder.write('keys.json', kept),
    })
    await keepDemoPassword(sql, shop, hashPassword)
    return shop
  }
  if (await hasDemoShop(sql))
    throw new PlatformError(
      'The database of DATABASE_URL holds the demo shop of a test deployment, whose keys may do everything. A live deployment needs a database of its own.',
    )
  return undefined
}

/** Seeds a database without merchants. @throws PlatformError that names the file and the line of an error */
export async function fillWithDemoShop(sql: Sql, api: HasuraApi): Promise<void> {
  const outcome = await seedDemoShop(sql, api)
  if (outcome.kind === 'failed') throw sqlError(outcome.failure)
}
