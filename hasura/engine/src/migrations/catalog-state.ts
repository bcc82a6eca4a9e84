import { z } from 'zod'
import type { HasuraApi } from './hasura-api.ts'

/**
 * hasura-cli's state in the engine's catalog, so that both programs can be used on one database. A version that is a
 * key has been applied; its value is true while it runs (dirty). Other keys belong to hasura-cli and are kept.
 */
const cliState = z.looseObject({
  settings: z.record(z.string(), z.string()).default({}),
  migrations: z.record(z.string(), z.record(z.string(), z.boolean())).default({}),
  isStateCopyCompleted: z.boolean().default(true),
})

const catalogState = z.object({ cli_state: cliState.nullish() })

export type CliState = z.output<typeof cliState>

/** A database's versions: false for an applied one, true for an interrupted one. */
export type AppliedVersions = ReadonlyMap<string, boolean>

export async function readCliState(api: HasuraApi): Promise<CliState> {
  const answer = await api.metadata({ type: 'get_catalog_state', args: {} })
  return catalogState.parse(answer).cli_state ?? cliState.parse({})
}

export const appliedVersions = (state: CliState, database: string): AppliedVersions =>
  new Map(Object.entries(state.migrations[database] ?? {}))

/** Writes the versions of one database, and keeps the rest of the state. */
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
