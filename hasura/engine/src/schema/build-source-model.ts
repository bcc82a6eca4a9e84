import type { Catalog, CatalogTable, CatalogColumn, CatalogFunction } from '../catalog/types.ts'
import { qualifiedKey, type QualifiedName } from '../metadata/qualified-name.ts'
import { relationshipKey, type RelationshipKey } from '../metadata/relationship.ts'
import type { TableMetadata, ComputedField, FunctionMetadata } from '../metadata/table.ts'
import type { Metadata } from '../metadata/types.ts'
import { isGraphqlName } from './graphql-name.ts'
import {
  type NamingConvention,
  createNaming,
  type Naming,
  type Stem,
  stemOf,
  rootFieldNames,
  rootFieldComments,
} from './naming.ts'
import { nativeQueryModels } from './native-query-model.ts'
import type {
  SourceModel,
  TableModel,
  ColumnModel,
  RelationshipModel,
  ComputedFieldModel,
  FunctionArgumentModel,
  FunctionModel,
} from './source-model.ts'

/** Joins consistent metadata with the catalog. Entries without a catalog object are left out. */
export function buildSourceModel(
  metadata: Metadata,
  catalog: Catalog,
  defaultConvention?: NamingConvention,
): SourceModel {
  // The engine serves one source. Others are inconsistent.
  const naming = createNaming(metadata.sources[0]?.customization, defaultConvention)
  const tracked = metadata.sources.flatMap((source) => source.tables)
  const keys = new Set(tracked.map(({ table }) => qualifiedKey(table)))
  const enums = new Set(
    tracked.filter(({ is_enum }) => is_enum === true).map(({ table }) => qualifiedKey(table)),
  )
  const tables = new Map<string, TableModel>()
  for (const entry of tracked) {
    const table = catalog.tables.get(qualifiedKey(entry.table))
    if (table !== undefined && isGraphqlName(tableStem(entry).name))
      tables.set(qualifiedKey(entry.table), tableModel(entry, table, catalog, { naming, keys, enums }))
  }
  const functions = metadata.sources
    .flatMap((source) => source.functions ?? [])
    .flatMap((entry) => functionModel(entry, catalog, { naming, keys }))
  const nativeQueries = metadata.sources.flatMap((source) => nativeQueryModels(source, naming))
  return { naming, tables, functions, nativeQueries }
}

/** The inputs of a model besides its own metadata: naming, and the keys of the tracked tables. */
interface Tracked {
  readonly naming: Naming
  readonly keys: ReadonlySet<string>
}

const tableStem = ({ table, configuration }: TableMetadata): Stem => stemOf(table, configuration?.custom_name)
function tableModel(
  metadata: TableMetadata,
  catalog: CatalogTable,
  { functions, tables, enumTables }: Catalog,
  { naming, keys, enums }: Tracked & { readonly enums: ReadonlySet<string> },
): TableModel {
  const key = qualifiedKey(metadata.table)
  const stem = tableStem(metadata)
  const columns = catalog.columns.map((column) => columnModel(column, catalog, metadata, enums, naming))
  const custom = metadata.configuration?.custom_root_fields ?? {}
  const rootFields = rootFieldNames(naming, stem, custom)
  return {
    key,
    name: metadata.table,
    typeName: naming.typeOf(stem),
    typeNamed: (suffix, prefix) => naming.typeOf(stem, suffix, prefix),
    comment: metadata.configuration?.comment ?? catalog.comment,
    catalog,
    metadata,
    columns: new Map(
      columns
        .filter(({ graphqlName }) => isGraphqlName(graphqlName))
        .map((column) => [column.graphqlName, column]),
    ),
    columnsByName: new Map(columns.map((column) => [column.name, column])),
    relationships: relationshipModels(metadata, catalog, tables, keys),
    computedFields: new Map(
      (metadata.computed_fields ?? [])
        .map((field) => computedFieldModel(field, metadata.table, functions, { naming, keys }))
        .filter((field) => field !== undefined)
        .filter(({ name }) => isGraphqlName(name))
        .map((field) => [field.name, field]),
    ),
    rootFields,
    rootFieldComments: rootFieldComments(rootFields, custom),
    enumValues: metadata.is_enum === true ? enumTables.get(key) : undefined,
  }
}

function columnModel(
  column: CatalogColumn,
  table: CatalogTable,
  { configuration }: TableMetadata,
  enums: ReadonlySet<string>,
  naming: Naming,
): ColumnModel {
  const config = configuration?.column_config?.[column.name]
  const enumKey = table.foreignKeys.find(
    ({ columns, refTable }) =>
      columns.length === 1 && columns[0] === column.name && enums.has(qualifiedKey(refTable)),
  )
  return {
    name: column.name,
    graphqlName:
      config?.custom_name ?? configuration?.custom_column_names?.[column.name] ?? naming.field(column.name),
    type: column.type,
    nullable: column.nullable,
    hasDefault: column.hasDefault || column.identity !== undefined,
    writable: !column.generated && column.identity !== 'always',
    comment: config?.comment ?? column.comment,
    enumTable: enumKey === undefined ? undefined : qualifiedKey(enumKey.refTable),
  }
}

function relationshipModels(
  metadata: TableMetadata,
  table: CatalogTable,
  tables: Catalog['tables'],
  tracked: ReadonlySet<string>,
): ReadonlyMap<string, RelationshipModel> {
  const entries = [
    ...(metadata.object_relationships ?? []).map((entry) => ({ kind: 'object' as const, ...entry })),
    ...(metadata.array_relationships ?? []).map((entry) => ({ kind: 'array' as const, ...entry })),
  ]
  const models = new Map<string, RelationshipModel>()
  for (const { kind, name, comment, using } of entries) {
    const join = resolveRelationship(relationshipKey(using), table, tables)
    if (join !== undefined && isGraphqlName(name) && tracked.has(qualifiedKey(join.target)))
      models.set(name, { name, kind, comment, ...join, target: qualifiedKey(join.target) })
  }
  return models
}

type RelationshipJoin = Pick<RelationshipModel, 'mapping' | 'nullable' | 'insertedFirst'> & {
  readonly target: QualifiedName
}

const sameColumns = (left: readonly string[], right: readonly string[]): boolean =>
  left.length === right.length && left.every((name) => right.includes(name))

/** The pairs of columns that a relationship joins. Undefined if the foreign key or the table doesn't exist. */
export function resolveRelationship(
  key: RelationshipKey,
  table: CatalogTable,
  tables: Catalog['tables'],
): RelationshipJoin | undefined {
  switch (key.kind) {
    case 'own-foreign-key': {
      const foreignKey = table.foreignKeys.find(({ columns }) => sameColumns(columns, key.columns))
      if (foreignKey === undefined) return undefined
      const { columns, refColumns, refTable } = foreignKey
      return {
        target: refTable,
        mapping: columns.map((local, index) => ({ local, remote: refColumns[index] ?? local })),
        nullable: table.columns.some(({ name, nullable }) => nullable && columns.includes(name)),
        insertedFirst: true,
      }
    }
    case 'other-foreign-key': {
      const foreignKey = tables
        .get(qualifiedKey(key.table))
        ?.foreignKeys.find(
          ({ columns, refTable }) =>
            sameColumns(columns, key.columns) && qualifiedKey(refTable) === qualifiedKey(table.name),
        )
      if (foreignKey === undefined) return undefined
      const { columns, refColumns } = foreignKey
      return {
        target: key.table,
        mapping: columns.map((remote, index) => ({ local: refColumns[index] ?? remote, remote })),
        nullable: true,
        insertedFirst: false,
      }
    }
    case 'manual': {
      if (!tables.has(qualifiedKey(key.table))) return undefined
      return {
        target: key.table,
        mapping: Object.entries(key.mapping).map(([local, remote]) => ({ local, remote })),
        nullable: true,
        insertedFirst: key.insertionOrder !== 'after_parent',
      }
    }
    default:
      return key satisfies never
  }
}

function computedFieldModel(
  { name, definition, comment }: ComputedField,
  table: QualifiedName,
  functions: Catalog['functions'],
  { naming, keys }: Tracked,
): ComputedFieldModel | undefined {
  const [found] = functions.get(qualifiedKey(definition.function)) ?? []
  if (found === undefined) return undefined
  const tableIndex =
    definition.table_argument === undefined
      ? 0
      : found.arguments.findIndex((argument) => argument.name === definition.table_argument)
  const returnsTable = found.returnsTable === undefined ? undefined : qualifiedKey(found.returnsTable)
  const argument = found.arguments[tableIndex]?.table
  if (argument === undefined || qualifiedKey(argument) !== qualifiedKey(table)) return undefined
  return {
    name,
    comment: comment ?? found.comment,
    function: found,
    tableIndex,
    sessionArgument: definition.session_argument,
    arguments: argumentModels(found, naming).filter(
      ({ index, name: argument }) =>
        index !== tableIndex && (argument === undefined || argument !== definition.session_argument),
    ),
    returns:
      returnsTable !== undefined && keys.has(returnsTable)
        ? { kind: 'table', table: returnsTable }
        : { kind: 'scalar', type: found.returns },
  }
}

/** Unnamed arguments are called `arg_1`, `arg_2`, …; only they are counted. */
function argumentModels(found: CatalogFunction, naming: Naming): readonly FunctionArgumentModel[] {
  let unnamed = 0
  return found.arguments.map(({ name, type, hasDefault }, index) => {
    const own = name === undefined || name === '' ? undefined : name
    if (own === undefined) unnamed += 1
    return { graphqlName: naming.field(own ?? `arg_${unnamed}`), name: own, type, hasDefault, index }
  })
}

function functionModel(
  metadata: FunctionMetadata,
  { functions }: Catalog,
  { naming, keys }: Tracked,
): readonly FunctionModel[] {
  const [catalog] = functions.get(qualifiedKey(metadata.function)) ?? []
  if (catalog?.returnsTable === undefined || !keys.has(qualifiedKey(catalog.returnsTable))) return []
  const configuration = metadata.configuration
  const stem = stemOf(metadata.function, configuration?.custom_name)
  const custom = configuration?.custom_root_fields
  const sessionArgument = configuration?.session_argument
  const given = argumentModels(catalog, naming)
  const names = [stem.name, ...given.map(({ graphqlName }) => graphqlName)]
  if (!names.every(isGraphqlName)) return []
  const rootField = (own: string | undefined, suffix: string): string =>
    own === undefined ? naming.rootField(stem, '', suffix) : naming.givenRootField(own)
  return [
    {
      metadata,
      catalog,
      rootField: rootField(custom?.function, ''),
      aggregateRootField: rootField(custom?.function_aggregate, 'aggregate'),
      connectionRootField: naming.rootField(stem, '', 'connection'),
      argumentsTypeName: naming.typeOf(stem, 'args'),
      exposedAs: configuration?.exposed_as ?? (catalog.volatility === 'volatile' ? 'mutation' : 'query'),
      sessionArgument,
      arguments: given.filter(({ name }) => name === undefined || name !== sessionArgument),
      table: qualifiedKey(catalog.returnsTable),
    },
  ]
}
