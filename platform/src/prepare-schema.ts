import {
  type HasuraApi,
  HasuraApiError,
  InterruptedMigrationError,
  migrate,
  type SqlFailure,
} from '@commerce-graph/hasura-cli'
import { prepareQueues } from '@commerce-graph/actions/queues'
import { prepareSandbox } from '@commerce-graph/actions/sandbox'
import type { Sql } from '@commerce-graph/postgres-driver'
import { join } from 'node:path'
import { applyChangedMetadata } from './apply-changed-metadata.ts'
import { checkAppliedMigrations, recordAppliedMigrations } from './applied-migrations.ts'
import { markLeakproof } from './mark-leakproof.ts'
import { PlatformError } from './platform-error.ts'
import { publishChanges } from './publish-changes.ts'

/** The root of the repository, where migrations/ and metadata/ are. */
export const root = join(import.meta.dirname, '../..')

/** Hasura's name for its only database. */
export const source = 'default'

/**
 * Applies the missing migrations, then the metadata, and gives the parts' roles their rights, and publishes the tables'
 * changes. Throws a PlatformError that names the
 * file.
 *
 * @param database as its owner has it; with the tables of the payment sandbox, if it has one
 */
export async function prepareSchema(
  {
    sql,
    databaseUrl,
    sandbox,
  }: { readonly sql: Sql; readonly databaseUrl: string; readonly sandbox: boolean },
  api: HasuraApi,
  onMigration: (name: string) => void,
): Promise<void> {
  const directory = join(root, 'migrations', source)
  await checkAppliedMigrations(sql, directory)
  let isMigrated = false
  const outcome = await migrate({
    api,
    directory,
    database: source,
    onStep: ({ version, name }) => {
      isMigrated = true
      onMigration(`${version}_${name}`)
    },
  }).catch((error: unknown) => {
    const isExpected =
      error instanceof InterruptedMigrationError ||
      (error instanceof HasuraApiError && error.code === 'unavailable')
    throw isExpected ? new PlatformError(error.message, { cause: error }) : error
  })
  switch (outcome.kind) {
    case 'migrated':
      await recordAppliedMigrations(sql, directory)
      break
    case 'refused':
      throw new PlatformError(outcome.reason)
    case 'failed':
      throw sqlError(outcome.failure)
    default:
      outcome satisfies never
  }
  const inconsistencies = await applyChangedMetadata(sql, api, join(root, 'metadata'))
  await prepareQueues(databaseUrl)
  if (sandbox) await prepareSandbox(databaseUrl)
  // The migrations have run it, too; since then, Hasura, the queues and the sandbox have made tables.
  await sql`SELECT platform.grant_rights()`
  await publishChanges(sql, isMigrated)
  await markLeakproof(sql)
  if (inconsistencies.length > 0) {
    const list = inconsistencies.map(({ type, name, reason }) => `  ${type} ${name}: ${reason}`)
    throw new PlatformError(`metadata/ doesn't fit the database:\n${list.join('\n')}`)
  }
}

export const sqlError = ({ file, line, message }: SqlFailure): PlatformError =>
  new PlatformError(`${file}${line === undefined ? '' : `:${line}`}: ${message}`)
