import {
  type GraphQLArgumentConfig,
  type GraphQLFieldConfigArgumentMap,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
} from 'graphql'
import { createAggregateTypes } from './aggregate-types.ts'
import { computedFieldArguments, computedScalarField, pathArgument } from './computed-field-types.ts'
import type { FilterTypes } from './filter-types.ts'
import { columnInput } from './input-rule.ts'
import { memoize } from './memoize.ts'
import { renamed } from './naming.ts'
import { argumentScalarName, baseType } from './postgres-type.ts'
import { type RelayTypes, createRelayTypes } from './relay-types.ts'
import { type FieldConfigMap, type FunctionArguments, field, listOf } from './row-field.ts'
import type { ScalarTypes } from './scalar-types.ts'
import {
  type SchemaContext,
  isMasked,
  tableOf,
  visibleColumns,
  visibleComputedFields,
  visibleRelationships,
} from './schema-context.ts'
import type { ColumnModel, FunctionArgumentModel, TableModel } from './source-model.ts'

export interface RowTypes {
  /** Absent in the schema of `/v1/graphql`. */
  readonly relay: RelayTypes | undefined
  readonly row: (table: TableModel) => GraphQLObjectType
  readonly aggregate: (table: TableModel) => GraphQLObjectType
  /** `distinct_on`, `limit`, `offset`, `order_by`, `where`. */
  readonly selectArguments: (table: TableModel) => GraphQLFieldConfigArgumentMap
  /** The same for a connection, with `first`, `after`, `last` and `before`. */
  readonly connectionArguments: (table: TableModel) => GraphQLFieldConfigArgumentMap
  readonly functionArguments: FunctionArguments
}

export interface RowTypesOptions {
  readonly forRelay: boolean
  /** A table's fields that lead out of the source. */
  readonly moreFields: (table: TableModel) => FieldConfigMap
}

/** Builds the object types of tables and their aggregates, and the arguments that select rows. */
export function createRowTypes(
  context: SchemaContext,
  scalars: ScalarTypes,
  filters: FilterTypes,
  { forRelay, moreFields }: RowTypesOptions,
): RowTypes {
  const { naming } = context.source
  const argumentsType = new Map<string, GraphQLInputObjectType>()
  const functionArguments: FunctionArguments = (name, given) => {
    if (given.length === 0) return {}
    const type = argumentsType.get(name) ?? functionArgumentsType(name, given, scalars)
    argumentsType.set(name, type)
    return { args: { type: given.every(({ hasDefault }) => hasDefault) ? type : new GraphQLNonNull(type) } }
  }
  const choiceArguments: RowTypes['selectArguments'] = (table) =>
    renamed<GraphQLArgumentConfig>(
      {
        distinct_on: {
          type: new GraphQLList(new GraphQLNonNull(filters.selectColumn(table))),
          description: 'distinct select on columns',
        },
        order_by: {
          type: new GraphQLList(new GraphQLNonNull(filters.orderBy(table))),
          description: 'sort the rows by one or more columns',
        },
        where: { type: filters.boolExp(table), description: 'filter the rows returned' },
      },
      naming.field,
    )
  const selectArguments: RowTypes['selectArguments'] = (table) => ({
    ...choiceArguments(table),
    limit: { type: GraphQLInt, description: 'limit the number of rows returned' },
    offset: {
      type: GraphQLInt,
      description: 'skip the first n rows. Use only with order_by',
      extensions: { holds: 'bigint' },
    },
  })
  const connectionArguments: RowTypes['connectionArguments'] = (table) => ({
    ...relay?.pageArguments,
    ...choiceArguments(table),
  })
  const row: RowTypes['row'] = memoize(
    (table) =>
      new GraphQLObjectType({
        name: table.typeName,
        description: table.comment ?? `columns and relationships of "${table.name.name}"`,
        interfaces: () => (relay?.isNode(table) === true ? [relay.node] : []),
        fields: () => ({
          ...columnFields(context, table, scalars),
          ...(relay?.isNode(table) === true ? nodeFields(table) : {}),
          ...relationshipFields(context, table, types),
          ...computedFields(context, table, scalars, types),
          ...moreFields(table),
        }),
      }),
  )
  const aggregate = createAggregateTypes(context, { row, functionArguments, scalars, filters })
  const relay = forRelay ? createRelayTypes(context, row) : undefined
  const types: RowTypes = { relay, row, aggregate, selectArguments, connectionArguments, functionArguments }
  return types
}

/** The field `id`. It replaces a column of that name. */
const nodeFields = (table: TableModel): FieldConfigMap => ({
  id: field({ kind: 'node-id', table }, new GraphQLNonNull(GraphQLID)),
})

const functionArgumentsType = (
  name: string,
  given: readonly FunctionArgumentModel[],
  scalars: ScalarTypes,
): GraphQLInputObjectType =>
  new GraphQLInputObjectType({
    name,
    fields: Object.fromEntries(
      given.map(({ graphqlName, type }) => [
        graphqlName,
        columnInput(scalars.scalar(argumentScalarName(type)), { nullable: true }),
      ]),
    ),
  })

const isJson = ({ type }: ColumnModel): boolean => ['json', 'jsonb'].includes(baseType(type).name)

const columnFields = (context: SchemaContext, table: TableModel, scalars: ScalarTypes): FieldConfigMap =>
  Object.fromEntries(
    visibleColumns(context, table).map((column) => {
      const type = scalars.ofColumn(column)
      const nullable = column.nullable || isMasked(context, table, column)
      const config = {
        ...(column.comment === undefined ? {} : { description: column.comment }),
        ...(isJson(column) ? { args: pathArgument } : {}),
      }
      return [
        column.graphqlName,
        field({ kind: 'column', column }, nullable ? type : new GraphQLNonNull(type), config),
      ]
    }),
  )

function relationshipFields(
  context: SchemaContext,
  table: TableModel,
  { relay, row, aggregate, selectArguments, connectionArguments }: RowTypes,
): FieldConfigMap {
  const { naming } = context.source
  const fields: FieldConfigMap = {}
  for (const { relationship, target, select } of visibleRelationships(context, table)) {
    const { name, kind, nullable, comment } = relationship
    const description = comment ?? `An ${kind} relationship`
    if (kind === 'object') {
      const type = nullable ? row(target) : new GraphQLNonNull(row(target))
      fields[name] = field({ kind: 'related-row', relationship, table: target }, type, { description })
      continue
    }
    const args = selectArguments(target)
    fields[name] = field({ kind: 'related-rows', relationship, table: target }, listOf(row(target)), {
      args,
      description,
    })
    if (select.aggregations)
      fields[naming.field(`${name}_aggregate`)] = field(
        { kind: 'related-aggregate', relationship, table: target },
        new GraphQLNonNull(aggregate(target)),
        { args, description: 'An aggregate relationship' },
      )
    if (relay?.isNode(target) === true)
      fields[naming.field(`${name}_connection`)] = field(
        { kind: 'related-connection', relationship, table: target },
        new GraphQLNonNull(relay.connection(target)),
        { args: connectionArguments(target), description },
      )
  }
  return fields
}

function computedFields(
  context: SchemaContext,
  table: TableModel,
  scalars: ScalarTypes,
  { row, functionArguments, selectArguments }: RowTypes,
): FieldConfigMap {
  const fields: FieldConfigMap = {}
  for (const computed of visibleComputedFields(context, table)) {
    const { name, comment, returns } = computed
    const scalar = computedScalarField(table, computed, scalars, functionArguments)
    if (scalar !== undefined) fields[name] = scalar
    if (returns.kind === 'scalar') continue
    const target = tableOf(context, returns.table)
    const type = new GraphQLList(new GraphQLNonNull(row(target)))
    fields[name] = field({ kind: 'computed-rows', field: computed, table: target }, type, {
      args: {
        ...computedFieldArguments(table, computed, functionArguments),
        ...selectArguments(target),
      },
      description: comment ?? 'A computed field',
    })
  }
  return fields
}
