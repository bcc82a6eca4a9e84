import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { defaultSource } from './consistency/build-snapshot.ts'
import { HasuraError } from './hasura-error.ts'
import type { Workspace } from './metadata-api/workspace.ts'
import { readMetadataDirectory } from './metadata/read-directory.ts'
import type { Metadata } from './metadata/types.ts'
import { migrate } from './migrations/migrate.ts'
import type { SqlFailure } from './migrations/run-sql-file.ts'
import { workspaceApi } from './migrations/workspace-api.ts'
import { StartError } from './start-error.ts'

export interface ProjectOptions {
  /** A folder of migrations, or one that has such a folder for each database, as hasura-cli lays them out. */
  readonly migrations?: string | undefined
  /** A metadata directory (config v3), or the metadata itself. */
  readonly metadata?: string | Metadata | undefined
}

/**
 * Applies the migrations that are missing, then the metadata: before anybody is served. Metadata that does not fit the
 * database is a matter of `snapshot.inconsistencies`. Throws StartError, MigrationFilesError, MetadataDirectoryError.
 */
export const applyProject = async (workspace: Workspace, options: ProjectOptions): Promise<void> => {
  // Read first: a mistake in it should not be found after the migrations.
  const metadata =
    typeof options.metadata === 'string' ? await readMetadataDirectory(options.metadata) : options.metadata
  if (options.migrations !== undefined) await applyMigrations(workspace, options.migrations)
  if (metadata !== undefined) await applyMetadata(workspace, metadata)
}

const applyMigrations = async (workspace: Workspace, folder: string): Promise<void> => {
  const directory = await databaseFolder(folder)
  const outcome = await migrate({ api: workspaceApi(workspace), directory, database: defaultSource })
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

const databaseFolder = async (folder: string): Promise<string> => {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const hasOwn = entries.some((entry) => entry.isDirectory() && entry.name === defaultSource)
  return hasOwn ? join(folder, defaultSource) : folder
}

const failureText = ({ file, line, message }: SqlFailure): string =>
  `${file}${line === undefined ? '' : `:${line}`}: ${message}`

const applyMetadata = async (workspace: Workspace, metadata: Metadata): Promise<void> => {
  const args = { metadata, allow_inconsistent_metadata: true }
  try {
    await workspace.handle('metadata', { type: 'replace_metadata', version: 2, args })
  } catch (error) {
    if (!(error instanceof HasuraError)) throw error
    throw new StartError(`the metadata was refused: ${error.path}: ${error.message}`)
  }
}
