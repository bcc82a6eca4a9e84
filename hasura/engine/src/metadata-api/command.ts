import type { PublicationOptions } from '@commerce-graph/change-feed'
import type { ClientBase, Pool } from 'pg'
import { z } from 'zod'
import { findSource, findTable } from '../metadata/edit-metadata.ts'
import type { Json, JsonObject } from '../metadata/parse.ts'
import { type QualifiedName, displayName, qualifiedName } from '../metadata/qualified-name.ts'
import type { Metadata, TableMetadata } from '../metadata/types.ts'
import { HasuraError } from '../hasura-error.ts'
import type { RowCommands } from '../rows/row-commands.ts'
import type { Session } from '../session/types.ts'
import type { Snapshot } from '../snapshot.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import type { MetadataStore } from '../storage/metadata-store.ts'
import type { MetadataDraft } from './draft.ts'

/**
 * Changes the database to fit a change of the metadata, in the transaction that stores the metadata: event triggers are
 * Postgres triggers, too.
 */
export type FinishChange = (
  client: ClientBase,
  before: Snapshot,
  after: Snapshot,
  options?: ChangeOptions,
) => Promise<void>

interface ChangeOptions {
  /** Whether the Postgres triggers of event triggers are created anew, also those that seem right. */
  readonly recreatesTriggers?: boolean
}

/** The session and trace of the request with the commands. Events that a command causes carry both. */
export interface Caller {
  readonly session: Session
  readonly trace: () => TraceContext
}

/** The services that a command may use. */
export interface CommandContext extends Caller {
  readonly draft: MetadataDraft
  readonly pool: Pool
  /** Its connections are the engine's alone: for SQL that may change its session. */
  readonly sessions: Pool
  readonly store: MetadataStore
  readonly finishChange: FinishChange
  readonly rows: RowCommands
  /** Whether metadata with unknown keys is refused. */
  readonly strictMetadata: boolean
  /** The publication that the engine keeps up to date, if any. */
  readonly publication: PublicationOptions | undefined
}

/** A command of the metadata API: its arguments and its effect. The result is the response's body. */
export interface Command<Args = unknown> {
  readonly schema: z.ZodType<Args>
  /** Whether the request increases the resource_version. */
  readonly changesMetadata: boolean
  /** The schema of the arguments with which the command only reads; absent when it always writes. */
  readonly reading?: (args: unknown) => unknown
  run(args: Args, context: CommandContext): Promise<Json>
}

export const success: JsonObject = { message: 'success' }

/** A command that changes metadata and answers "success". */
export const edit = <Schema extends z.ZodType>(
  schema: Schema,
  run: (args: z.output<Schema>, draft: MetadataDraft) => Promise<void>,
): Command => ({
  schema,
  changesMetadata: true,
  run: async (args, { draft }) => {
    // The dispatcher has parsed the arguments with this same schema.
    await run(args as z.output<Schema>, draft)
    return success
  },
})

/** A command with an effect other than on the metadata. */
export const act = <Schema extends z.ZodType>(
  schema: Schema,
  run: (args: z.output<Schema>, context: CommandContext) => Promise<Json>,
): Command => ({
  schema,
  changesMetadata: false,
  run: (args, context) => run(args as z.output<Schema>, context),
})

/** A command that only reads. */
export const read = <Schema extends z.ZodType>(
  schema: Schema,
  run: (args: z.output<Schema>, context: CommandContext) => Promise<Json>,
): Command => ({ ...act(schema, run), reading: (args) => args })

/** Arguments of most commands. */
export const sourceName = z.string().min(1).default('default')
export const tableArguments = { source: sourceName, table: qualifiedName }

/** The most rows of a log in one answer. */
export const maxPage = 10_000

/** Arguments of commands that list rows of a log. */
export const pageArguments = {
  limit: z.number().int().nonnegative().max(maxPage).default(100),
  offset: z.number().int().nonnegative().default(0),
}

export function requireSource(metadata: Metadata, source: string): void {
  if (!findSource(metadata, source)) {
    throw new HasuraError('not-exists', `source with name "${source}" does not exist`)
  }
}

export function requireTable(metadata: Metadata, source: string, table: QualifiedName): TableMetadata {
  requireSource(metadata, source)
  const found = findTable(metadata, source, table)
  if (!found) {
    throw new HasuraError('not-exists', `table "${displayName(table)}" does not exist in source: ${source}`)
  }
  return found
}
