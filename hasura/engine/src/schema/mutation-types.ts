import {
  GraphQLEnumType,
  type GraphQLFieldConfigArgumentMap,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLString,
} from 'graphql'
import type { UniqueKey } from '../catalog/types.ts'
import type { FilterTypes } from './filter-types.ts'
import { isGraphqlName } from './graphql-name.ts'
import { columnInput, columnListInput, nonNull } from './input-rule.ts'
import { memoize } from './memoize.ts'
import { renamed } from './naming.ts'
import { baseType, isNumeric } from './postgres-type.ts'
import { type FieldConfigMap, field, listOf } from './row-field.ts'
import type { RowTypes } from './row-types.ts'
import type { ScalarTypes } from './scalar-types.ts'
import { type SchemaContext, primaryKeyColumns, selectAccess, tableOf } from './schema-context.ts'
import type { ColumnModel, TableModel } from './source-model.ts'

export interface MutationTypes {
  /** `affected_rows`, and `returning` if the role may read. */
  readonly response: (table: TableModel) => GraphQLObjectType
  readonly insertInput: (table: TableModel) => GraphQLInputObjectType
  /** `on_conflict`, if the table has a constraint that rows can conflict with. */
  readonly onConflict: (table: TableModel) => GraphQLFieldConfigArgumentMap
  /** `_set`, `_inc` and the operators of jsonb. Empty if the role may write no column. */
  readonly updateOperators: (table: TableModel) => GraphQLFieldConfigArgumentMap
  readonly keyColumns: (table: TableModel) => GraphQLInputObjectType
  readonly updates: (table: TableModel) => GraphQLInputObjectType
}

/** The value of an enum without updatable columns, because GraphQL requires at least one. */
export const placeholderColumn = '_PLACEHOLDER'

export function createMutationTypes(
  context: SchemaContext,
  scalars: ScalarTypes,
  filters: FilterTypes,
  rows: RowTypes,
): MutationTypes {
  const response = memoize((table: TableModel) => responseType(context, table, rows))
  const conflictType = memoize((table: TableModel) => onConflictType(context, table, filters))
  const onConflict: MutationTypes['onConflict'] = (table) =>
    conflictKeys(table).length === 0
      ? {}
      : renamed(
          { on_conflict: { type: conflictType(table), description: 'upsert condition' } },
          context.source.naming.field,
        )
  const nestedInsert = memoize((table: TableModel) => nestedInsertTypes(table, insertInput, onConflict))
  const insertInput: MutationTypes['insertInput'] = memoize(
    (table) =>
      new GraphQLInputObjectType({
        name: table.typeNamed('insert_input'),
        description: `input type for inserting data into table "${table.name.name}"`,
        fields: () => insertFields(context, table, scalars, nestedInsert),
      }),
  )
  const operatorTypes = memoize((table: TableModel) => updateOperatorTypes(context, table, scalars))
  const keyColumns = memoize(
    (table: TableModel) =>
      new GraphQLInputObjectType({
        name: table.typeNamed('pk_columns_input'),
        description: `primary key columns input for table: ${table.name.name}`,
        fields: Object.fromEntries(
          primaryKeyColumns(table).map((column) => [
            column.graphqlName,
            columnInput(new GraphQLNonNull(scalars.ofColumn(column)), { description: column.comment }),
          ]),
        ),
      }),
  )
  const updates = memoize(
    (table: TableModel) =>
      new GraphQLInputObjectType({
        name: table.typeNamed('updates'),
        fields: () => ({
          ...operatorTypes(table),
          where: {
            type: new GraphQLNonNull(filters.boolExp(table)),
            description: 'filter the rows which have to be updated',
          },
        }),
      }),
  )
  return { response, insertInput, onConflict, updateOperators: operatorTypes, keyColumns, updates }
}

const responseType = (context: SchemaContext, table: TableModel, rows: RowTypes): GraphQLObjectType =>
  new GraphQLObjectType({
    name: table.typeNamed('mutation_response'),
    description: `response of any mutation on the table "${table.name.name}"`,
    fields: () => {
      const fields: FieldConfigMap = {
        [context.source.naming.field('affected_rows')]: field(
          { kind: 'affected-rows' },
          new GraphQLNonNull(GraphQLInt),
          {
            description: 'number of rows affected by the mutation',
          },
        ),
      }
      if (selectAccess(context, table) !== undefined)
        fields['returning'] = field({ kind: 'returning' }, listOf(rows.row(table)), {
          description: 'data from the rows affected by the mutation',
        })
      return fields
    },
  })

/** The constraints that an upsert may name. */
function conflictKeys({ catalog }: TableModel): readonly UniqueKey[] {
  const { primaryKey, uniqueConstraints } = catalog
  const keys = [...(primaryKey === undefined ? [] : [primaryKey]), ...uniqueConstraints]
  return keys.filter(
    ({ constraint }, index) =>
      isGraphqlName(constraint) && keys.findIndex((key) => key.constraint === constraint) === index,
  )
}

function onConflictType(
  context: SchemaContext,
  table: TableModel,
  filters: FilterTypes,
): GraphQLInputObjectType {
  const update = context.access.table(table).update
  const columns = [...table.columns.values()].filter(({ name }) => update?.columns.has(name) === true)
  const updateColumn = new GraphQLEnumType({
    name: table.typeNamed('update_column'),
    ...(columns.length === 0
      ? {
          description: `placeholder for update columns of table "${table.name.name}" (current role has no relevant permissions)`,
          values: { [placeholderColumn]: { description: 'placeholder (do not use)' } },
        }
      : {
          description: `update columns of table "${table.name.name}"`,
          values: Object.fromEntries(
            columns.map(({ graphqlName }) => [graphqlName, { description: 'column name' }]),
          ),
        }),
  })
  const constraint = new GraphQLEnumType({
    name: table.typeNamed('constraint'),
    description: `unique or primary key constraints on table "${table.name.name}"`,
    values: Object.fromEntries(
      conflictKeys(table).map(({ constraint: name, columns: own }) => [
        name,
        {
          description: `unique or primary key constraint on columns ${own.map((column) => `"${column}"`).join(', ')}`,
        },
      ]),
    ),
  })
  return new GraphQLInputObjectType({
    name: table.typeNamed('on_conflict'),
    description: `on_conflict condition type for table "${table.name.name}"`,
    fields: () =>
      renamed<GraphQLInputFieldConfig>(
        {
          constraint: { type: new GraphQLNonNull(constraint) },
          update_columns: {
            type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(updateColumn))),
            defaultValue: [],
          },
          where: nonNull(filters.boolExp(table)),
        },
        context.source.naming.field,
      ),
  })
}

interface NestedInsertTypes {
  readonly one: GraphQLInputObjectType
  readonly many: GraphQLInputObjectType
}

function nestedInsertTypes(
  table: TableModel,
  insertInput: MutationTypes['insertInput'],
  onConflict: MutationTypes['onConflict'],
): NestedInsertTypes {
  const conflict = (): GraphQLInputFieldConfigMap =>
    Object.fromEntries(
      Object.entries(onConflict(table)).map(([name, { type, description, extensions }]) => [
        name,
        { type, description, extensions: { canonicalName: extensions?.canonicalName ?? name } },
      ]),
    )
  return {
    one: new GraphQLInputObjectType({
      name: table.typeNamed('obj_rel_insert_input'),
      description: `input type for inserting object relation for remote table "${table.name.name}"`,
      fields: () => ({ data: { type: new GraphQLNonNull(insertInput(table)) }, ...conflict() }),
    }),
    many: new GraphQLInputObjectType({
      name: table.typeNamed('arr_rel_insert_input'),
      description: `input type for inserting array relation for remote table "${table.name.name}"`,
      fields: () => ({
        data: {
          type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(insertInput(table)))),
        },
        ...conflict(),
      }),
    }),
  }
}

function insertFields(
  context: SchemaContext,
  table: TableModel,
  scalars: ScalarTypes,
  nested: (table: TableModel) => NestedInsertTypes,
): GraphQLInputFieldConfigMap {
  const insert = context.access.table(table).insert
  const fields: GraphQLInputFieldConfigMap = {}
  for (const column of table.columns.values())
    if (insert?.columns.has(column.name) === true)
      fields[column.graphqlName] = columnInput(scalars.ofColumn(column), {
        nullable: column.nullable,
        description: column.comment,
      })
  for (const { name, kind, target } of table.relationships.values()) {
    const related = tableOf(context, target)
    if (context.access.table(related).insert === undefined) continue
    const types = nested(related)
    fields[name] = { type: kind === 'object' ? types.one : types.many }
  }
  return fields
}

/** The update operators, with the columns that each applies to and the types of its operands. */
function updateOperatorTypes(
  context: SchemaContext,
  table: TableModel,
  scalars: ScalarTypes,
): GraphQLFieldConfigArgumentMap {
  const update = context.access.table(table).update
  const columns = [...table.columns.values()].filter(({ name }) => update?.columns.has(name) === true)
  const jsonbs = columns.filter(({ type }) => baseType(type).name === 'jsonb')
  const numerics = columns.filter(({ type }) => isNumeric(type))
  const operators: GraphQLFieldConfigArgumentMap = {}
  const ofColumn = (column: ColumnModel): GraphQLInputFieldConfig =>
    columnInput(scalars.ofColumn(column), { nullable: column.nullable, description: column.comment })
  const add = (
    name: string,
    own: readonly ColumnModel[],
    description: string,
    input: (column: ColumnModel) => GraphQLInputFieldConfig = ofColumn,
    typeDescription = description,
  ): void => {
    if (own.length === 0) return
    const type = new GraphQLInputObjectType({
      name: table.typeNamed(`${name.slice(1)}_input`),
      description: typeDescription,
      fields: Object.fromEntries(own.map((column) => [column.graphqlName, input(column)])),
    })
    operators[name] = nonNull(type, { description })
  }
  add('_append', jsonbs, 'append existing jsonb value of filtered columns with new jsonb value')
  add(
    '_delete_at_path',
    jsonbs,
    'delete the field or element with specified path (for JSON arrays, negative integers count from the end)',
    ({ comment }) =>
      columnListInput(new GraphQLList(new GraphQLNonNull(GraphQLString)), { description: comment }),
  )
  add(
    '_delete_elem',
    jsonbs,
    'delete the array element with specified index (negative integers count from the end). throws an error if top level container is not an array',
    ({ comment }) => columnInput(GraphQLInt, { description: comment }),
  )
  add(
    '_delete_key',
    jsonbs,
    'delete key/value pair or string element. key/value pairs are matched based on their key value',
    ({ comment }) => columnInput(GraphQLString, { nullable: true, description: comment }),
  )
  add(
    '_inc',
    numerics,
    'increments the numeric columns with given value of the filtered values',
    ofColumn,
    `input type for incrementing numeric columns in table "${table.name.name}"`,
  )
  add('_prepend', jsonbs, 'prepend existing jsonb value of filtered columns with new jsonb value')
  add(
    '_set',
    columns,
    'sets the columns of the filtered rows to the given values',
    ofColumn,
    `input type for updating data in table "${table.name.name}"`,
  )
  return renamed(operators, context.source.naming.field)
}
