import { z } from 'zod'
import { HasuraError } from '../hasura-error.ts'
import { editSource, findSource } from '../metadata/edit-metadata.ts'
import { type Json, nonEmptyText, record } from '../metadata/parse.ts'
import { displayName, qualifiedKey, qualifiedName } from '../metadata/qualified-name.ts'
import { sourceConfiguration, sourceCustomization } from '../metadata/types.ts'
import { type Command, edit, read, requireSource, sourceName } from './command.ts'
import type { Snapshot } from '../snapshot.ts'

const source = {
  name: nonEmptyText,
  configuration: sourceConfiguration.optional(),
  customization: sourceCustomization.optional(),
  health_check: z.unknown().optional(),
}

const addSource = record({ ...source, replace_configuration: z.boolean().default(false) })
const dropSource = record({ name: nonEmptyText, cascade: z.boolean().default(false) })
const renameSource = record({ name: nonEmptyText, new_name: nonEmptyText })
const suggestRelationships = record({
  source: sourceName,
  tables: z.array(qualifiedName).optional(),
  omit_tracked: z.boolean().default(false),
  version: z.number().optional(),
})

/** All tables that could be tracked, tracked or not. The command's name without a prefix is the older one. */
const sourceTables = read(record({ source: sourceName }), ({ source: name }, { draft: { snapshot } }) => {
  requireSource(snapshot.storedMetadata, name)
  return Promise.resolve(
    [...snapshot.catalog.tables.values()].map(({ name: { schema, name: table } }) => ({
      name: table,
      schema,
    })),
  )
})

/** There is one database, so there is one source. It can be configured, renamed, dropped and added again. */
export const sourceCommands: Readonly<Record<string, Command>> = {
  pg_add_source: edit(addSource, async ({ name, replace_configuration: replace, ...rest }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    const { configuration, customization } = rest
    if (findSource(metadata, name)) {
      if (!replace)
        throw new HasuraError('already-exists', `postgres source with name "${name}" already exists`)
      await draft.change(editSource(metadata, name, (each) => ({ ...each, configuration, customization })))
      return
    }
    if (metadata.sources.length > 0)
      throw new HasuraError('not-supported', 'the embedded engine has one source, its own database')
    const added = { name, kind: 'postgres', tables: [], configuration, customization }
    await draft.change({ ...metadata, sources: [added] })
  }),

  pg_update_source: edit(record(source), async ({ name, configuration, customization }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireSource(metadata, name)
    await draft.change(
      editSource(metadata, name, (each) => ({
        ...each,
        configuration: configuration ?? each.configuration,
        customization: customization ?? each.customization,
      })),
    )
  }),

  pg_drop_source: edit(dropSource, async ({ name, cascade }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireSource(metadata, name)
    await draft.remove(
      { ...metadata, sources: metadata.sources.filter((each) => each.name !== name) },
      { cascade },
    )
  }),

  rename_source: edit(renameSource, async ({ name, new_name: newName }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    requireSource(metadata, name)
    if (findSource(metadata, newName))
      throw new HasuraError('already-exists', `source with name "${newName}" already exists`)
    await draft.accept(editSource(metadata, name, (each) => ({ ...each, name: newName })))
  }),

  list_source_kinds: read(z.unknown(), () =>
    Promise.resolve({ sources: [{ kind: 'pg', builtin: true, available: true, display_name: 'pg' }] }),
  ),

  /** For data connectors, of which there are none. Hasura gives this answer for its built-in kinds. */
  get_source_kind_capabilities: read(record({ name: nonEmptyText }), ({ name }) => {
    throw new HasuraError(
      'data-connector-error',
      name === 'pg' || name === 'postgres'
        ? `${name} does not support Capabilities`
        : `Source Kind ${name} was not found`,
    )
  }),

  get_source_tables: sourceTables,
  pg_get_source_tables: sourceTables,

  pg_suggest_relationships: read(suggestRelationships, (args, { draft: { snapshot } }) => {
    requireSource(snapshot.storedMetadata, args.source)
    return Promise.resolve({ relationships: suggestions(snapshot, args) })
  }),
}

/** Foreign keys between tracked tables, each as two relationships. */
function suggestions(
  { storedMetadata, catalog }: Snapshot,
  { source: name, tables, omit_tracked: omitTracked }: z.output<typeof suggestRelationships>,
): readonly Json[] {
  const tracked = new Map(
    (findSource(storedMetadata, name)?.tables ?? []).map((each) => [qualifiedKey(each.table), each]),
  )
  const wanted = tables && new Set(tables.map(qualifiedKey))
  const isWanted = (key: string): boolean => tracked.has(key) && (wanted === undefined || wanted.has(key))
  return [...catalog.tables.values()].flatMap((table) =>
    table.foreignKeys.flatMap(({ constraint, columns, refTable, refColumns }) => {
      const [key, refKey] = [qualifiedKey(table.name), qualifiedKey(refTable)]
      if (!tracked.has(key) || !tracked.has(refKey)) return []
      const own = { table: nameJson(table.name), columns: [...columns], constraint_name: constraint }
      const other = { table: nameJson(refTable), columns: [...refColumns] }
      const objects = tracked.get(key)?.object_relationships ?? []
      const arrays = tracked.get(refKey)?.array_relationships ?? []
      const hasObject = objects.some(({ using }) => usesColumns(using, columns))
      const hasArray = arrays.some(({ using }) => usesColumns(using, columns, displayName(table.name)))
      return [
        ...(isWanted(key) && !(omitTracked && hasObject) ? [{ type: 'object', from: own, to: other }] : []),
        ...(isWanted(refKey) && !(omitTracked && hasArray) ? [{ type: 'array', from: other, to: own }] : []),
      ]
    }),
  )
}

const nameJson = ({ schema, name }: { readonly schema: string; readonly name: string }): Json => ({
  schema,
  name,
})

/** Whether a relationship uses a foreign key of these columns (of `table`, for an array relationship). */
function usesColumns(using: object, columns: readonly string[], table?: string): boolean {
  const on: unknown = 'foreign_key_constraint_on' in using ? using.foreign_key_constraint_on : undefined
  const given = isKey(on) ? (on.columns ?? on.column) : on
  const same = JSON.stringify([given].flat().toSorted()) === JSON.stringify([...columns].toSorted())
  if (table === undefined) return same
  return same && isKey(on) && displayName(qualifiedName.parse(on.table)) === table
}

interface ForeignKeyOn {
  readonly columns?: unknown
  readonly column?: unknown
  readonly table?: unknown
}

const isKey = (value: unknown): value is ForeignKeyOn =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
