import {
  type HasuraApi,
  InterruptedMigrationError,
  migrate,
  type SqlFailure,
} from '@commerce-graph/hasura-cli'
import type { Sql } from '@commerce-graph/postgres-driver'
import { join } from 'node:path'
import { applyChangedMetadata } from './apply-changed-metadata.ts'
import { checkAppliedMigrations, recordAppliedMigrations } from './applied-migrations.ts'
import { PlatformError } from './platform-error.ts'

/** The root of the repository, where migrations/ and metadata/ are. */
export const root = join(import.meta.dirname, '../..')

/** Hasura's name for its only database. */
export const source = 'default'

/** Applies the missing migrations, then the metadata. Throws a PlatformError that names the file. */
export async function prepareSchema(
  sql: Sql,
  api: HasuraApi,
  onMigration: (name: string) => void,
): Promise<void> {
  const directory = join(root, 'migrations', source)
  await checkAppliedMigrations(sql, directory)
  const outcome = await migrate({
    api,
    directory,
    database: source,
    onStep: ({ version, name }) => onMigration(`${version}_${name}`),
  }).catch((error: unknown) => {
    throw error instanceof InterruptedMigrationError ? new PlatformError(error.message) : error
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
  if (inconsistencies.length > 0) {
    const list = inconsistencies.map(({ type, name, reason }) => `  ${type} ${name}: ${reason}`)
    throw new PlatformError(`metadata/ doesn't fit the database:\n${list.join('\n')}`)
  }
}

export const sqlError = ({ file, line, message }: SqlFailure): PlatformError =>
  new PlatformError(`${file}${line === undefined ? '' : `:${line}`}: ${message}`)
