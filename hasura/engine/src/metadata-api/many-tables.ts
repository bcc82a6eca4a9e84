import { tableObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import type { Json } from '../metadata/parse.ts'
import { type QualifiedName, displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import type { Metadata } from '../metadata/types.ts'
import type { MetadataDraft } from './draft.ts'
import { type MetadataWarning, refuseAll, refuseWarnings, withWarnings } from './warnings.ts'

interface TableArguments {
  readonly source: string
  readonly table: QualifiedName
}

/** A command's step for each of many tables. */
export interface TableStep<Table extends TableArguments> {
  readonly verb: 'track' | 'untrack'
  /** The metadata after the step for one table. Throws HasuraError. */
  readonly edit: (metadata: Metadata, table: Table) => Metadata
  /** Applies metadata with the step done for these tables. Throws HasuraError when it makes an object inconsistent. */
  readonly apply: (draft: MetadataDraft, metadata: Metadata, tables: readonly Table[]) => Promise<void>
}

/**
 * Does the step for the tables where it is possible, and answers the failures as warnings. Throws HasuraError when all
 * tables fail, or when a table fails and warnings are not allowed.
 */
export async function forManyTables<Table extends TableArguments>(
  { verb, edit, apply }: TableStep<Table>,
  tables: readonly Table[],
  draft: MetadataDraft,
  allowWarnings: boolean,
): Promise<Json> {
  refuseRepeated(tables)
  const warnings: MetadataWarning[] = []
  const warn = ({ source, table }: Table, { message }: HasuraError): void => {
    warnings.push({ code: `${verb}-table-failed`, object: tableObject(source, table), message })
  }
  const possible: Table[] = []
  let metadata = draft.snapshot.storedMetadata
  for (const table of tables) {
    const failure = await failureOf(() => {
      metadata = edit(metadata, table)
      return Promise.resolve()
    })
    if (failure === undefined) possible.push(table)
    else warn(table, failure)
  }
  // Usually all tables succeed together, and the schema is built once.
  const together = await failureOf(() => apply(draft, metadata, possible))
  let done = together === undefined ? possible.length : 0
  for (const table of together === undefined ? [] : possible) {
    const failure = await failureOf(() => apply(draft, edit(draft.snapshot.storedMetadata, table), [table]))
    if (failure === undefined) done += 1
    else warn(table, failure)
  }
  if (done === 0) refuseAll(`all tables failed to ${verb}`, warnings)
  refuseWarnings(warnings, allowWarnings)
  return { message: 'success', ...withWarnings(warnings) }
}

function refuseRepeated(tables: readonly TableArguments[]): void {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const { source, table } of tables) {
    const key = `${source} ${qualifiedKey(table)}`
    if (seen.has(key)) repeated.add(`${source}.${displayName(table)}`)
    seen.add(key)
  }
  if (repeated.size > 0)
    throw new HasuraError(
      'bad-request',
      `The following tables occur more than once in the request: ${[...repeated].join(', ')}`,
      { path: '$.tables' },
    )
}

async function failureOf(work: () => Promise<void>): Promise<HasuraError | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (error instanceof HasuraError) return error
    throw error
  }
}
