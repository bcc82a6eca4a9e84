import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { buildSnapshot } from '../../consistency/build-snapshot.ts'
import { readCatalog } from '../../metadata-api/draft.ts'
import type { GraphQLExecutor } from '../../graphql-request.ts'
import { metadata as metadataSchema } from '../../metadata/types.ts'
import type { Snapshot } from '../../snapshot.ts'
import { type SubscriptionCompiler, createGraphQLExecutor } from '../graphql-executor.ts'
import type { GraphQLExecutorOptions } from '../executor-options.ts'

export interface ServedMetadata {
  readonly snapshot: Snapshot
  /** An executor with empty caches. */
  readonly newExecutor: (options?: Partial<GraphQLExecutorOptions>) => GraphQLExecutor & SubscriptionCompiler
}

export interface TestProject {
  readonly pool: pg.Pool
  /** Applies metadata. Fails the test when it doesn't fit the database. */
  readonly serve: (metadata: object) => Promise<ServedMetadata>
  readonly close: () => Promise<void>
}

/**
 * Creates a real database with `sql`, for the tests of one file, and executors over it without a server. The database
 * is on the test run's Postgres unless another server is named.
 */
export async function openProject(sql: string, server?: string): Promise<TestProject> {
  const database = await createTestDatabase(server === undefined ? {} : { server })
  const pool = new pg.Pool({ connectionString: database.url, max: 4, pipeline: true })
  // Dropping the database may cut a connection that the pool is still closing.
  pool.on('error', () => undefined)
  await pool.query(sql)
  const serve: TestProject['serve'] = async (given) => {
    const metadata = metadataSchema.parse({ version: 3, ...given })
    const snapshot = buildSnapshot(metadata, await readCatalog(pool, metadata), 1)
    if (snapshot.inconsistencies.length > 0) throw new Error(JSON.stringify(snapshot.inconsistencies))
    const newExecutor: ServedMetadata['newExecutor'] = (options = {}) =>
      createGraphQLExecutor(() => snapshot, pool, {
        stringifyNumericTypes: false,
        inferFunctionPermissions: true,
        enableAllowlist: false,
        env: {},
        ...options,
      })
    return { snapshot, newExecutor }
  }
  const close = async (): Promise<void> => {
    await pool.end()
    await database.drop()
  }
  return { pool, serve, close }
}
