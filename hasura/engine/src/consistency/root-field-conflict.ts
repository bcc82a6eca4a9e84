import { isAsynchronous } from '../metadata/action.ts'
import type { Catalog } from '../catalog/types.ts'
import type { Action, Metadata } from '../metadata/types.ts'
import type { FunctionModel, SourceModel, TableModel } from '../schema/source-model.ts'
import { buildSourceModel } from '../schema/build-source-model.ts'
import type { Snapshot } from '../snapshot.ts'

/** In the order in which Hasura's message lists them. */
const mutationFields = ({ rootFields, catalog }: TableModel): readonly string[] => [
  ...(catalog.insertable ? [rootFields.insert, rootFields.insertOne] : []),
  ...(catalog.updatable ? [rootFields.update] : []),
  ...(catalog.deletable ? [rootFields.delete] : []),
  ...(catalog.updatable ? keyed(catalog, rootFields.updateByPk) : []),
  ...(catalog.deletable ? keyed(catalog, rootFields.deleteByPk) : []),
]

/** Fields of later Hasura releases, whose message is unknown here; reported only when nothing else conflicts. */
const updateManyFields = ({ rootFields, catalog }: TableModel): readonly string[] =>
  catalog.updatable ? [rootFields.updateMany] : []

const queryFields = ({ rootFields, catalog }: TableModel): readonly string[] => [
  rootFields.select,
  rootFields.selectAggregate,
  ...keyed(catalog, rootFields.selectByPk),
]

const keyed = ({ primaryKey }: TableModel['catalog'], field: string): readonly string[] =>
  primaryKey === undefined ? [] : [field]

const subscriptionFields = (table: TableModel): readonly string[] => [
  ...queryFields(table),
  table.rootFields.selectStream,
]

const functionFields = ({ functions }: SourceModel, root: FunctionModel['exposedAs']): readonly string[] =>
  functions
    .filter(({ exposedAs }) => exposedAs === root)
    .flatMap(({ rootField, aggregateRootField, catalog }) =>
      root === 'query' && catalog.returnsSet ? [rootField, aggregateRootField] : [rootField],
    )

const actionFields = (actions: readonly Action[], root: 'query' | 'mutation'): readonly string[] =>
  actions.filter(({ definition }) => (definition.type ?? 'mutation') === root).map(({ name }) => name)

/** Of the metadata that were checked: each is checked as what comes next, and once more as what came before. */
const found = new WeakMap<Metadata, string | undefined>()

/**
 * Root fields of tables, functions, native queries and actions must be unique. Returns the conflict's message, or
 * undefined. (The check of remote schemas compares their fields with all of these.)
 */
export function rootFieldConflict({ metadata, catalog }: Snapshot): string | undefined {
  if (!found.has(metadata)) found.set(metadata, findConflict(metadata, catalog))
  return found.get(metadata)
}

function findConflict(metadata: Metadata, catalog: Catalog): string | undefined {
  const model = buildSourceModel(metadata, catalog)
  const tables = [...model.tables.values()]
  const actions = metadata.actions ?? []
  const results = actions.filter(isAsynchronous).map(({ name }) => name)
  const called = [...functionFields(model, 'query'), ...model.nativeQueries.map(({ rootField }) => rootField)]
  // In the source's namespace, its fields can conflict only with each other.
  const apart = (own: readonly string[], others: readonly string[]): readonly (readonly string[])[] =>
    model.naming.namespace === undefined ? [[...own, ...others]] : [own, [model.naming.namespace, ...others]]
  const written = [...tables.flatMap(mutationFields), ...functionFields(model, 'mutation')]
  const mutations = actionFields(actions, 'mutation')
  const read = [...tables.flatMap(queryFields), ...called]
  const queries = [...actionFields(actions, 'query'), ...results]
  return (
    conflict('mutation', apart(written, mutations)) ??
    conflict('query', apart(read, queries)) ??
    conflict('subscription', apart([...tables.flatMap(subscriptionFields), ...called], results)) ??
    conflict('mutation', apart([...written, ...tables.flatMap(updateManyFields)], mutations))
  )
}

function conflict(
  root: 'query' | 'mutation' | 'subscription',
  groups: readonly (readonly string[])[],
): string | undefined {
  const repeated = groups.flatMap((fields) =>
    new Set(fields).size === fields.length
      ? []
      : [...Map.groupBy(fields, (name) => name)].flatMap(([name, uses]) => (uses.length > 1 ? [name] : [])),
  )
  return repeated.length > 0
    ? `found duplicate fields in selection set for ${root} root: ${repeated.join(', ')}`
    : undefined
}
