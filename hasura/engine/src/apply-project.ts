import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { defaultSource, ownSource } from './consistency/build-snapshot.ts'
import { HasuraError } from './hasura-error.ts'
import type { Workspace } from './metadata-api/workspace.ts'
import { readMetadataDirectory } from './metadata/read-directory.ts'
import type { Metadata } from './metadata/types.ts'
import { migrate } from './migrations/migrate.ts'
import { isMigrationName } from './migrations/migration-files.ts'
import type { SqlFailure } from './migrations/run-sql-file.ts'
import { workspaceApi } from './migrations/workspace-api.ts'
import { StartError } from './start-error.ts'

export interface ProjectOptions {
  /** A folder of migrations, or one that has such a folder for each database, as hasura-cli lays them out. */
  readonly migrations?: string | undefined
  /** A metadata directory (config v3), or the metadata itself. */
  readonly metadata?: string | Metadata | undefined
  /** Whether a directory with keys that metadata does not have is refused; otherwise they are warned of. */
  readonly strictMetadata: boolean
  readonly logger: Logger
}

/**
 * Applies the migrations that are missing, then the metadata: before anybody is served. Metadata that does not fit the
 * database is a matter of `snapshot.inconsistencies`. Throws StartError, MigrationFilesError, MetadataDirectoryError.
 */
export async function applyProject(workspace: Workspace, options: ProjectOptions): Promise<void> {
  // Read first: a mistake in it should not be found after the migrations.
  const metadata = await readMetadata(options)
  const source = ownSource(metadata ?? workspace.snapshot.storedMetadata)?.name ?? defaultSource
  if (options.migrations !== undefined) await applyMigrations(workspace, options.migrations, source)
  if (metadata !== undefined) await applyMetadata(workspace, metadata)
}

async function readMetadata({
  metadata,
  strictMetadata,
  logger,
}: ProjectOptions): Promise<Metadata | undefined> {
  if (typeof metadata !== 'string') return metadata
  const unknown: string[] = []
  const read = await readMetadataDirectory(metadata, { onUnknownKey: (place) => unknown.push(place) })
  if (unknown.length === 0) return read
  if (strictMetadata) throw new StartError(`${unknown.join(', ')}: metadata has no such key`)
  logger.warn({ unknown }, 'keys that metadata does not have were left out')
  return read
}

async function applyMigrations(workspace: Workspace, folder: string, source: string): Promise<void> {
  const directory = await databaseFolder(folder, source)
  const outcome = await migrate({ api: workspaceApi(workspace), directory, database: source })
  switch (outcome.kind) {
    case 'migrated':
      return
    case 'refused':
      throw new StartError(outcome.reason)
    case 'failed':
      throw new StartError(failureText(outcome.failure))
    default:
      outcome satisfies never
  }
}

/** The folder that is named after the source, or the only one, unless the migrations are in the given one. */
async function databaseFolder(folder: string, source: string): Promise<string> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const databases = names.filter((name) => !isMigrationName(name))
  const found = databases.find((name) => name === source) ?? databases.find((name) => name === defaultSource)
  if (found !== undefined) return join(folder, found)
  const [only] = databases
  return only !== undefined && names.length === 1 ? join(folder, only) : folder
}

const failureText = ({ file, line, message }: SqlFailure): string =>
  `${file}${line === undefined ? '' : `:${line}`}: ${message}`

async function applyMetadata(workspace: Workspace, metadata: Metadata): Promise<void> {
  const args = { metadata, allow_inconsistent_metadata: true }
  try {
    await workspace.handle('metadata', { type: 'replace_metadata', version: 2, args })
  } catch (error) {
    if (!(error instanceof HasuraError)) throw error
    throw new StartError(`the metadata was refused: ${error.path}: ${error.message}`)
  }
}
