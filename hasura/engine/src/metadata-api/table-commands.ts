import { z } from 'zod'
import { tableObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { editSource, editTable, findFunction, findTable } from '../metadata/edit-metadata.ts'
import { record } from '../metadata/parse.ts'
import { displayName, qualifiedKey } from '../metadata/qualified-name.ts'
import { tableConfiguration } from '../metadata/table.ts'
import type { Metadata } from '../metadata/types.ts'
import { type TableStep, forManyTables } from './many-tables.ts'
import { type Command, edit, requireSource, requireTable, tableArguments } from './command.ts'

const trackTable = record({
  ...tableArguments,
  configuration: tableConfiguration.optional(),
  apollo_federation_config: record({ enable: z.literal('v1') }).optional(),
})
type TrackTable = z.output<typeof trackTable>

function addTable(
  metadata: Metadata,
  { source, table, configuration, apollo_federation_config }: TrackTable,
): Metadata {
  requireSource(metadata, source)
  const name = displayName(table)
  if (findTable(metadata, source, table)) {
    throw new HasuraError('already-tracked', `view/table already tracked: "${name}"`)
  }
  if (findFunction(metadata, source, table)) {
    throw new HasuraError('not-supported', `function with name "${name}" already exists`)
  }
  return editSource(metadata, source, (each) => ({
    ...each,
    tables: [...each.tables, { table, configuration, apollo_federation_config }],
  }))
}

const untrackTable = record({ ...tableArguments, cascade: z.boolean().default(false) })
type UntrackTable = z.output<typeof untrackTable>

function removeTable(metadata: Metadata, { source, table }: UntrackTable): Metadata {
  requireSource(metadata, source)
  if (!findTable(metadata, source, table)) {
    throw new HasuraError('already-untracked', `view/table already untracked: "${displayName(table)}"`)
  }
  return editSource(metadata, source, (each) => ({
    ...each,
    tables: each.tables.filter((entry) => qualifiedKey(entry.table) !== qualifiedKey(table)),
  }))
}

/** Each table names its source. As in Hasura, the one beside the list is ignored. */
const manyTables = { source: z.string().optional(), allow_warnings: z.boolean().default(true) }
const trackTables = record({ tables: z.array(trackTable), ...manyTables })
const untrackTables = record({ tables: z.array(untrackTable), ...manyTables })

const tracking: TableStep<TrackTable> = {
  verb: 'track',
  edit: addTable,
  apply: (draft, metadata, [first, ...others]) =>
    draft.change(
      metadata,
      first === undefined || others.length > 0 ? undefined : tableObject(first.source, first.table),
    ),
}

const untracking: TableStep<UntrackTable> = {
  verb: 'untrack',
  edit: removeTable,
  apply: (draft, metadata, tables) =>
    draft.remove(metadata, { cascade: tables.length > 0 && tables.every(({ cascade }) => cascade) }),
}

const setTableCustomization = record({ ...tableArguments, configuration: tableConfiguration.default({}) })
const setTableIsEnum = record({ ...tableArguments, is_enum: z.boolean() })
const setApolloFederation = record({
  ...tableArguments,
  apollo_federation_config: record({ enable: z.literal('v1') }).optional(),
})

export const tableCommands: Readonly<Record<string, Command>> = {
  pg_track_table: edit(trackTable, (args, draft) =>
    draft.change(addTable(draft.snapshot.storedMetadata, args), tableObject(args.source, args.table)),
  ),

  pg_track_tables: {
    schema: trackTables,
    changesMetadata: true,
    run: (args, { draft }) => {
      const { tables, allow_warnings: allowed } = trackTables.parse(args)
      return forManyTables(tracking, tables, draft, allowed)
    },
  },

  pg_untrack_table: edit(untrackTable, (args, draft) =>
    draft.remove(removeTable(draft.snapshot.storedMetadata, args), args),
  ),

  pg_untrack_tables: {
    schema: untrackTables,
    changesMetadata: true,
    run: (args, { draft }) => {
      const { tables, allow_warnings: allowed } = untrackTables.parse(args)
      return forManyTables(untracking, tables, draft, allowed)
    },
  },

  pg_set_table_customization: edit(setTableCustomization, async ({ source, table, configuration }, draft) => {
    requireTable(draft.snapshot.storedMetadata, source, table)
    await draft.change(
      editTable(draft.snapshot.storedMetadata, source, table, (entry) => ({ ...entry, configuration })),
      tableObject(source, table),
    )
  }),

  pg_set_table_is_enum: edit(setTableIsEnum, async ({ source, table, is_enum }, draft) => {
    requireTable(draft.snapshot.storedMetadata, source, table)
    await draft.change(
      editTable(draft.snapshot.storedMetadata, source, table, (entry) => ({ ...entry, is_enum })),
      tableObject(source, table),
    )
  }),

  pg_set_apollo_federation_config: edit(
    setApolloFederation,
    async ({ source, table, apollo_federation_config }, draft) => {
      requireTable(draft.snapshot.storedMetadata, source, table)
      await draft.change(
        editTable(draft.snapshot.storedMetadata, source, table, (entry) => ({
          ...entry,
          apollo_federation_config,
        })),
        tableObject(source, table),
      )
    },
  ),
}
