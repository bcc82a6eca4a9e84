import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { createDatabaseFrom, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import { prepareDatabase, ROOT } from '@commerce-graph/platform/testing'

/** What decides the schema, the metadata as the engine stores it, and the demo shop. */
const MADE_OF = ['migrations', 'metadata', 'seeds', 'hasura/engine/src', 'hasura/cli/src', 'platform/src']

/**
 * A database of its own as the platform leaves it after its first start: schema, metadata and demo shop, without keys. The
 * platform that is started on it finds nothing left to apply.
 */
export function createDemoDatabase(): Promise<TestDatabase> {
  return createDatabaseFrom({
    name: 'demo_shop',
    madeOf: MADE_OF.map((folder) => path.join(ROOT, folder)),
    fill: (databaseUrl) => prepareDatabase({ databaseUrl, adminSecret: randomBytes(16).toString('hex') }),
  })
}
