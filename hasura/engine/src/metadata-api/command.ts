import type { ClientBase, Pool } from 'pg'
import { z } from 'zod'
import { findSource, findTable } from '../metadata/edit-metadata.ts'
import type { Json, JsonObject } from '../metadata/parse.ts'
import { type QualifiedName, displayName, qualifiedName } from '../metadata/qualified-name.ts'
import type { Metadata, TableMetadata } from '../metadata/types.ts'
import { HasuraError } from '../hasura-error.ts'
import type { RemoteDirectory } from '../remote/remote-directory.ts'
import type { RowCommands } from '../rows/row-commands.ts'
import type { Session } from '../session/types.ts'
import type { Snapshot } from '../snapshot.ts'
import type { TraceContext } from '../tracing/trace-context.ts'
import type { MetadataStore } from '../storage/metadata-store.ts'
import type { MetadataDraft } from './draft.ts'

/**
 * What has to happen in the database so that it fits a change of the metadata, in the transaction that stores the
 * metadata: event triggers are triggers of Postgres, too.
 */
export type FinishChange = (client: ClientBase, before: Snapshot, after: Snapshot) => Promise<void>

/** Who sends commands, and as part of which trace. Events that a command causes tell both. */
export interface Caller {
  readonly session: Session
  readonly trace: () => TraceContext
}

/** What a command may use. */
export interface CommandContext extends Caller {
  readonly draft: MetadataDraft
  readonly pool: Pool
  readonly store: MetadataStore
  readonly finishChange: FinishChange
  readonly remotes: RemoteDirectory
  readonly rows: RowCommands
  /** Whether metadata with unknown keys is refused. */
  readonly strictMetadata: boolean
}

/** A command of the metadata API: its arguments and what it does. The answer is the response's body. */
export interface Command<Args = unknown> {
  readonly schema: z.ZodType<Args>
  /** Whether the request gets a new resource_version. */
  readonly changesMetadata: boolean
  /** The arguments with which the command only reads; absent where it can't. */
  readonly reading?: (args: unknown) => unknown
  run(args: Args, context: CommandContext): Promise<Json>
}

export const success: JsonObject = { message: 'success' }

/** A command that changes metadata and answers that it did. */
export const edit = <Schema extends z.ZodType>(
  schema: Schema,
  run: (args: z.output<Schema>, draft: MetadataDraft) => Promise<void>,
): Command => ({
  schema,
  changesMetadata: true,
  run: async (args, { draft }) => {
    // The dispatcher has parsed the arguments with this very schema.
    await run(args as z.output<Schema>, draft)
    return success
  },
})

/** A command that does something, and leaves the metadata as it is. */
export const act = <Schema extends z.ZodType>(
  schema: Schema,
  run: (args: z.output<Schema>, context: CommandContext) => Promise<Json>,
): Command => ({
  schema,
  changesMetadata: false,
  run: (args, context) => run(args as z.output<Schema>, context),
})

/** A command that only tells. */
export const read = <Schema extends z.ZodType>(
  schema: Schema,
  run: (args: z.output<Schema>, context: CommandContext) => Promise<Json>,
): Command => ({ ...act(schema, run), reading: (args) => args })

/** Arguments that most commands have. */
export const sourceName = z.string().min(1).default('default')
export const tableArguments = { source: sourceName, table: qualifiedName }

/** Rows of a log that one answer may hold. */
export const maxPage = 10_000

/** Of commands that list rows of a log. */
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
