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
  /** A folder of migrations, or of such folders for each database (hasura-cli's layout). */
  readonly migrations?: string | undefined
  /** A metadata directory (config v3), or the metadata itself. */
  readonly metadata?: string | Metadata | undefined
  /** True: a directory with unknown keys is refused. False: they cause warnings. */
  readonly strictMetadata: boolean
  readonly logger: Logger
}

/**
 * Applies missing migrations, then the metadata, before the engine serves requests. Metadata that doesn't fit the
 * database is reported in `snapshot.inconsistencies`. Throws StartError, MigrationFilesError, MetadataDirectoryError.
 */
export async function applyProject(workspace: Workspace, options: ProjectOptions): Promise<void> {
  // Metadata is read first, so that a mistake in it is found before migrations run.
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
  logger.warn({ unknown }, 'unknown keys of the metadata were left out')
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

/** The folder named after the source, or the only folder, unless the given folder has the migrations itself. */
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
