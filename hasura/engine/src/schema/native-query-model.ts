import type { CatalogColumn } from '../catalog/types.ts'
import type { LogicalModel, NativeQuery, Source } from '../metadata/types.ts'
import { parseNativeCode } from './native-code.ts'
import { type Naming, rootFieldNames } from './naming.ts'
import type { ColumnModel, NativeQueryModel, NativeArgumentModel, TableModel } from './source-model.ts'
import { sqlType } from './sql-type.ts'

/** The native queries of a source, without those whose logical model doesn't exist. */
export function nativeQueryModels(
  { native_queries = [], logical_models = [] }: Source,
  naming: Naming,
): readonly NativeQueryModel[] {
  const tables = new Map(logical_models.map((model) => [model.name, logicalTable(model, naming)]))
  return native_queries.flatMap((query) => {
    const table = tables.get(query.returns)
    const code = parseNativeCode(query.code)
    if (table === undefined || code === undefined) return []
    const { root_field_name: rootField, description } = query
    return [{ rootField, description, arguments: argumentModels(query), code, table }]
  })
}

const argumentModels = (query: NativeQuery): readonly NativeArgumentModel[] =>
  Object.entries(query.arguments ?? {}).map(([name, { type, nullable, description }]) => ({
    name,
    type: sqlType(type),
    nullable,
    description,
  }))

/**
 * A logical model as a table that can only be read. Its types have the logical model's name, without the prefix and
 * suffix of the source.
 */
export function logicalTable(model: LogicalModel, naming: Naming): TableModel {
  const columns = model.fields.flatMap(columnModel)
  const name = { schema: 'public', name: model.name }
  const catalog = {
    name,
    oid: 0,
    kind: 'view' as const,
    comment: model.description,
    columns: columns.map(catalogColumn),
    primaryKey: undefined,
    uniqueConstraints: [],
    foreignKeys: [],
    checkConstraints: [],
    insertable: false,
    updatable: false,
    deletable: false,
  }
  return {
    key: `logical model ${model.name}`,
    name,
    typeName: model.name,
    typeNamed: (suffix) => `${model.name}_${suffix === 'select_column' ? 'enum_name' : suffix}`,
    comment: model.description,
    catalog,
    metadata: { table: name, select_permissions: model.select_permissions },
    columns: new Map(columns.map((column) => [column.graphqlName, column])),
    columnsByName: new Map(columns.map((column) => [column.name, column])),
    relationships: new Map(),
    computedFields: new Map(),
    rootFields: rootFieldNames(naming, { name: model.name, isCustom: true }, {}),
    rootFieldComments: new Map(),
    enumValues: undefined,
  }
}

const columnModel = ({ name, type, description }: LogicalModel['fields'][number]): readonly ColumnModel[] =>
  'scalar' in type
    ? [
        {
          name,
          graphqlName: name,
          type: sqlType(type.scalar),
          nullable: type.nullable,
          hasDefault: false,
          writable: false,
          comment: description,
          enumTable: undefined,
        },
      ]
    : []

const catalogColumn = ({ name, type, nullable, comment }: ColumnModel, index: number): CatalogColumn => ({
  name,
  position: index + 1,
  type,
  nullable,
  hasDefault: false,
  generated: false,
  identity: undefined,
  comment,
})
