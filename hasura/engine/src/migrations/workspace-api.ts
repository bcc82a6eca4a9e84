import { ownSource } from '../consistency/build-snapshot.ts'
import { HasuraError } from '../hasura-error.ts'
import type { CommandSet } from '../metadata-api/commands.ts'
import type { Workspace } from '../metadata-api/workspace.ts'
import { type HasuraApi, HasuraApiError } from './hasura-api.ts'

/** The engine's API without HTTP, for migrations that run before the engine serves requests. */
export function workspaceApi(workspace: Workspace): HasuraApi {
  const handle = async (set: CommandSet, body: unknown): Promise<unknown> => {
    try {
      return await workspace.handle(set, body)
    } catch (error) {
      if (!(error instanceof HasuraError)) throw error
      const { code, path, message, internal } = error
      throw new HasuraApiError({ code, path, message, internal })
    }
  }
  return {
    metadata: (request) => handle('metadata', request),
    // The metadata that names the source may come only after the migrations. There is one database, so any name is
    // accepted.
    runSql: (named, sql) => {
      const source = ownSource(workspace.snapshot.storedMetadata)?.name ?? named
      return handle('query', { type: 'run_sql', args: { source, sql } })
    },
  }
}
