import type { Catalog, CatalogColumn, CatalogFunction, CatalogTable, CatalogType } from '../catalog/types.ts'
import type { EnumTableValue } from '../catalog/types.ts'
import { isGraphqlName } from './graphql-name.ts'
import {
  type ComputedField,
  type CustomRootFields,
  type FunctionMetadata,
  type Metadata,
  type QualifiedName,
  type RelationshipKey,
  type TableMetadata,
  qualifiedKey,
  relationshipKey,
} from '../metadata/types.ts'

/** Metadata and catalog joined: what is tracked, under its GraphQL names, for every role alike. */
export interface SourceModel {
  readonly tables: ReadonlyMap<string, TableModel>
  readonly functions: readonly FunctionModel[]
}

export interface TableModel {
  readonly key: string
  readonly name: QualifiedName
  /** The GraphQL object type, and the stem of the names of all its other types. */
  readonly typeName: string
  readonly comment: string | undefined
  readonly catalog: CatalogTable
  readonly metadata: TableMetadata
  /** By GraphQL name, in the order of the table. */
  readonly columns: ReadonlyMap<string, ColumnModel>
  readonly columnsByName: ReadonlyMap<string, ColumnModel>
  readonly relationships: ReadonlyMap<string, RelationshipModel>
  readonly computedFields: ReadonlyMap<string, ComputedFieldModel>
  readonly rootFields: RootFieldNames
  /** Set on enum tables: the rows that became values. */
  readonly enumValues: readonly EnumTableValue[] | undefined
}

export interface ColumnModel {
  readonly name: string
  readonly graphqlName: string
  readonly type: CatalogType
  readonly nullable: boolean
  readonly hasDefault: boolean
  readonly writable: boolean
  readonly comment: string | undefined
  /** Key of the enum table that the column's foreign key refers to. */
  readonly enumTable: string | undefined
}

export interface RelationshipModel {
  readonly name: string
  readonly kind: 'object' | 'array'
  readonly comment: string | undefined
  /** Key of the other table. */
  readonly target: string
  /** Pairs of columns that are equal. */
  readonly mapping: readonly ColumnPair[]
  readonly nullable: boolean
  /** In a nested insert, whether the related row is written before the row that has the relationship. */
  readonly insertedFirst: boolean
}

export interface ColumnPair {
  readonly local: string
  readonly remote: string
}

export interface ComputedFieldModel {
  readonly name: string
  readonly comment: string | undefined
  readonly function: CatalogFunction
  /** Which of the function's arguments is the row. */
  readonly tableIndex: number
  readonly sessionArgument: string | undefined
  /** Arguments that the client gives. */
  readonly arguments: readonly FunctionArgumentModel[]
  readonly returns:
    | { readonly kind: 'scalar'; readonly type: CatalogType }
    | { readonly kind: 'table'; readonly table: string }
}

export interface FunctionArgumentModel {
  readonly graphqlName: string
  /** Undefined for an argument without a name, which is passed by position. */
  readonly name: string | undefined
  readonly type: CatalogType
  readonly hasDefault: boolean
  /** Its place in the function's signature. */
  readonly index: number
}

export interface FunctionModel {
  readonly metadata: FunctionMetadata
  readonly catalog: CatalogFunction
  readonly rootField: string
  readonly aggregateRootField: string
  readonly argumentsTypeName: string
  readonly exposedAs: 'query' | 'mutation'
  readonly sessionArgument: string | undefined
  readonly arguments: readonly FunctionArgumentModel[]
  /** Key of the table whose rows it returns. */
  readonly table: string
}

export interface RootFieldNames {
  readonly select: string
  readonly selectByPk: string
  readonly selectAggregate: string
  readonly selectStream: string
  readonly insert: string
  readonly insertOne: string
  readonly update: string
  readonly updateByPk: string
  readonly updateMany: string
  readonly delete: string
  readonly deleteByPk: string
}

/** Joins consistent metadata with the catalog. Entries whose objects are gone are left out. */
export const buildSourceModel = (metadata: Metadata, catalog: Catalog): SourceModel => {
  const tracked = metadata.sources.flatMap((source) => source.tables)
  const keys = new Set(tracked.map(({ table }) => qualifiedKey(table)))
  const enums = new Set(
    tracked.filter(({ is_enum }) => is_enum === true).map(({ table }) => qualifiedKey(table)),
  )
  const tables = new Map<string, TableModel>()
  for (const entry of tracked) {
    const table = catalog.tables.get(qualifiedKey(entry.table))
    if (table !== undefined && isGraphqlName(tableTypeName(entry)))
      tables.set(qualifiedKey(entry.table), tableModel(entry, table, catalog, keys, enums))
  }
  const functions = metadata.sources
    .flatMap((source) => source.functions ?? [])
    .flatMap((entry) => functionModel(entry, catalog, keys))
  return { tables, functions }
}

/** `schema_name` outside of `public`, as Hasura names the GraphQL types of tables and functions. */
export const defaultGraphqlName = ({ schema, name }: QualifiedName): string =>
  schema === 'public' ? name : `${schema}_${name}`

const tableTypeName = ({ table, configuration }: TableMetadata): string =>
  configuration?.custom_name ?? defaultGraphqlName(table)

const tableModel = (
  metadata: TableMetadata,
  catalog: CatalogTable,
  { functions, tables, enumTables }: Catalog,
  tracked: ReadonlySet<string>,
  enums: ReadonlySet<string>,
): TableModel => {
  const key = qualifiedKey(metadata.table)
  const typeName = tableTypeName(metadata)
  const columns = catalog.columns.map((column) => columnModel(column, catalog, metadata, enums))
  return {
    key,
    name: metadata.table,
    typeName,
    comment: metadata.configuration?.comment ?? catalog.comment,
    catalog,
    metadata,
    columns: new Map(
      columns
        .filter(({ graphqlName }) => isGraphqlName(graphqlName))
        .map((column) => [column.graphqlName, column]),
    ),
    columnsByName: new Map(columns.map((column) => [column.name, column])),
    relationships: relationshipModels(metadata, catalog, tables, tracked),
    computedFields: new Map(
      (metadata.computed_fields ?? [])
        .map((field) => computedFieldModel(field, metadata.table, functions, tracked))
        .filter((field) => field !== undefined)
        .filter(({ name }) => isGraphqlName(name))
        .map((field) => [field.name, field]),
    ),
    rootFields: rootFieldNames(typeName, metadata.configuration?.custom_root_fields ?? {}),
    enumValues: metadata.is_enum === true ? enumTables.get(key) : undefined,
  }
}

const columnModel = (
  column: CatalogColumn,
  table: CatalogTable,
  { configuration }: TableMetadata,
  enums: ReadonlySet<string>,
): ColumnModel => {
  const config = configuration?.column_config?.[column.name]
  const enumKey = table.foreignKeys.find(
    ({ columns, refTable }) =>
      columns.length === 1 && columns[0] === column.name && enums.has(qualifiedKey(refTable)),
  )
  return {
    name: column.name,
    graphqlName: config?.custom_name ?? configuration?.custom_column_names?.[column.name] ?? column.name,
    type: column.type,
    nullable: column.nullable,
    hasDefault: column.hasDefault || column.identity !== undefined,
    writable: !column.generated && column.identity !== 'always',
    comment: config?.comment ?? column.comment,
    enumTable: enumKey === undefined ? undefined : qualifiedKey(enumKey.refTable),
  }
}

const relationshipModels = (
  metadata: TableMetadata,
  table: CatalogTable,
  tables: Catalog['tables'],
  tracked: ReadonlySet<string>,
): ReadonlyMap<string, RelationshipModel> => {
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

/** Finds the columns that a relationship joins. Undefined if the foreign key or the table doesn't exist. */
export const resolveRelationship = (
  key: RelationshipKey,
  table: CatalogTable,
  tables: Catalog['tables'],
): RelationshipJoin | undefined => {
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

const computedFieldModel = (
  { name, definition, comment }: ComputedField,
  table: QualifiedName,
  functions: Catalog['functions'],
  tracked: ReadonlySet<string>,
): ComputedFieldModel | undefined => {
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
    arguments: argumentModels(found).filter(
      ({ index, name: argument }) =>
        index !== tableIndex && (argument === undefined || argument !== definition.session_argument),
    ),
    returns:
      returnsTable !== undefined && tracked.has(returnsTable)
        ? { kind: 'table', table: returnsTable }
        : { kind: 'scalar', type: found.returns },
  }
}

/** Arguments without a name are called `arg_1`, `arg_2`, … counting them alone. */
const argumentModels = (found: CatalogFunction): readonly FunctionArgumentModel[] => {
  let unnamed = 0
  return found.arguments.map(({ name, type, hasDefault }, index) => {
    const own = name === undefined || name === '' ? undefined : name
    if (own === undefined) unnamed += 1
    return { graphqlName: own ?? `arg_${unnamed}`, name: own, type, hasDefault, index }
  })
}

const functionModel = (
  metadata: FunctionMetadata,
  { functions }: Catalog,
  tracked: ReadonlySet<string>,
): readonly FunctionModel[] => {
  const [catalog] = functions.get(qualifiedKey(metadata.function)) ?? []
  if (catalog?.returnsTable === undefined || !tracked.has(qualifiedKey(catalog.returnsTable))) return []
  const configuration = metadata.configuration
  const stem = configuration?.custom_name ?? defaultGraphqlName(metadata.function)
  const sessionArgument = configuration?.session_argument
  const names = [stem, ...argumentModels(catalog).map(({ graphqlName }) => graphqlName)]
  if (!names.every(isGraphqlName)) return []
  return [
    {
      metadata,
      catalog,
      rootField: configuration?.custom_root_fields?.function ?? stem,
      aggregateRootField: configuration?.custom_root_fields?.function_aggregate ?? `${stem}_aggregate`,
      argumentsTypeName: `${stem}_args`,
      exposedAs: configuration?.exposed_as ?? (catalog.volatility === 'volatile' ? 'mutation' : 'query'),
      sessionArgument,
      arguments: argumentModels(catalog).filter(({ name }) => name === undefined || name !== sessionArgument),
      table: qualifiedKey(catalog.returnsTable),
    },
  ]
}

const rootFieldNames = (typeName: string, custom: CustomRootFields): RootFieldNames => {
  const named = (field: keyof CustomRootFields, fallback: string): string => {
    const entry = custom[field]
    return (typeof entry === 'string' ? entry : entry?.name) ?? fallback
  }
  return {
    select: named('select', typeName),
    selectByPk: named('select_by_pk', `${typeName}_by_pk`),
    selectAggregate: named('select_aggregate', `${typeName}_aggregate`),
    selectStream: named('select_stream', `${typeName}_stream`),
    insert: named('insert', `insert_${typeName}`),
    insertOne: named('insert_one', `insert_${typeName}_one`),
    update: named('update', `update_${typeName}`),
    updateByPk: named('update_by_pk', `update_${typeName}_by_pk`),
    updateMany: named('update_many', `update_${typeName}_many`),
    delete: named('delete', `delete_${typeName}`),
    deleteByPk: named('delete_by_pk', `delete_${typeName}_by_pk`),
  }
}
