import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { createDatabaseFrom, type Template, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import { prepareDatabase } from '@commerce-graph/platform/testing'

const root = path.resolve(import.meta.dirname, '../..')

/** The folders that determine the schema, the stored metadata and the demo shop. */
const madeOf = ['migrations', 'metadata', 'demo/shop', 'hasura/engine/src', 'hasura/cli/src', 'platform/src']

const demoShop: Template = {
  name: 'demo_shop',
  madeOf: madeOf.map((folder) => path.join(root, folder)),
  fill: (databaseUrl) => prepareDatabase({ databaseUrl, adminSecret: randomBytes(16).toString('hex') }),
}

/**
 * A new database in the state after the platform's first start: schema, metadata and demo shop, without keys. A
 * platform that is started on it has nothing to apply.
 */
export const createDemoDatabase = (): Promise<TestDatabase> => createDatabaseFrom(demoShop)
