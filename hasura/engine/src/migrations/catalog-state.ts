import { z } from 'zod'
import type { HasuraApi } from './hasura-api.ts'

const runningMigration = z.object({ version: z.string(), direction: z.enum(['up', 'down']) })

/** A file whose SQL records its own end (`recordedSql`). */
export type RunningMigration = z.output<typeof runningMigration>

/**
 * hasura-cli's state in the engine's catalog, so that both programs can be used on one database. A version that is a
 * key has been applied; its value is true while it runs (dirty). Other keys belong to hasura-cli and are kept.
 */
const cliState = z.looseObject({
  settings: z.record(z.string(), z.string()).default({}),
  migrations: z.record(z.string(), z.record(z.string(), z.boolean())).default({}),
  isStateCopyCompleted: z.boolean().default(true),
  /** By database. The key is this program's own: hasura-cli drops it when it writes, and records no file's end so. */
  runningMigrations: z.record(z.string(), runningMigration).optional(),
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

/** Writes the versions of one database, with the file that runs now, if any, and keeps the rest of the state. */
export async function writeAppliedVersions(
  api: HasuraApi,
  database: string,
  versions: AppliedVersions,
  running?: RunningMigration,
): Promise<void> {
  const { runningMigrations = {}, ...state } = await readCliState(api)
  const migrations = { ...state.migrations, [database]: Object.fromEntries(versions) }
  const others = Object.entries(runningMigrations).filter(([name]) => name !== database)
  const files = running === undefined ? others : [...others, [database, running] as const]
  const run = files.length === 0 ? {} : { runningMigrations: Object.fromEntries(files) }
  const args = { type: 'cli', state: { ...state, migrations, isStateCopyCompleted: true, ...run } }
  await api.metadata({ type: 'set_catalog_state', args })
}
