import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { createDatabaseFrom, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import { prepareDatabase } from '@commerce-graph/platform/testing'

const root = path.resolve(import.meta.dirname, '../..')

/** What decides the schema, the metadata as the engine stores it, and the demo shop. */
const madeOf = ['migrations', 'metadata', 'demo/shop', 'hasura/engine/src', 'hasura/cli/src', 'platform/src']

/**
 * A database of its own as the platform leaves it after its first start: schema, metadata and demo shop, without keys. The
 * platform that is started on it finds nothing left to apply.
 */
export const createDemoDatabase = (): Promise<TestDatabase> =>
  createDatabaseFrom({
    name: 'demo_shop',
    madeOf: madeOf.map((folder) => path.join(root, folder)),
    fill: (databaseUrl) => prepareDatabase({ databaseUrl, adminSecret: randomBytes(16).toString('hex') }),
  })
