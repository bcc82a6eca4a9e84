import { z } from 'zod'
import type { HasuraApi } from './hasura-api.ts'

/**
 * What hasura-cli keeps in the engine's catalog, so that both can be used on one database in turn. A version that
 * is a key has been applied; its value is true while it runs (dirty). Other keys are hasura-cli's and stay.
 */
const cliState = z.looseObject({
  settings: z.record(z.string(), z.string()).default({}),
  migrations: z.record(z.string(), z.record(z.string(), z.boolean())).default({}),
  isStateCopyCompleted: z.boolean().default(true),
})

const catalogState = z.object({ cli_state: cliState.nullish() })

export type CliState = z.output<typeof cliState>

/** The versions of one database: applied ones are false, interrupted ones true. */
export type AppliedVersions = ReadonlyMap<string, boolean>

export async function readCliState(api: HasuraApi): Promise<CliState> {
  const answer = await api.metadata({ type: 'get_catalog_state', args: {} })
  return catalogState.parse(answer).cli_state ?? cliState.parse({})
}

export const appliedVersions = (state: CliState, database: string): AppliedVersions =>
  new Map(Object.entries(state.migrations[database] ?? {}))

/** Writes the versions of one database and leaves everything else as another tool may have written it. */
export async function writeAppliedVersions(
  api: HasuraApi,
  database: string,
  versions: AppliedVersions,
): Promise<void> {
  const state = await readCliState(api)
  const migrations = { ...state.migrations, [database]: Object.fromEntries(versions) }
  const args = { type: 'cli', state: { ...state, migrations, isStateCopyCompleted: true } }
  await api.metadata({ type: 'set_catalog_state', args })
}
