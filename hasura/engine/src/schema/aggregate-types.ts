import {
  GraphQLBoolean,
  GraphQLFloat,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
} from 'graphql'
import { type AggregateFunction, aggregateFunctions } from './aggregate-function.ts'
import { computedScalarField } from './computed-field-types.ts'
import type { FilterTypes } from './filter-types.ts'
import { nonNull } from './input-rule.ts'
import { memoize } from './memoize.ts'
import { type FieldConfigMap, type FunctionArguments, field, listOf } from './row-field.ts'
import type { ScalarTypes } from './scalar-types.ts'
import { type SchemaContext, visibleColumns, visibleComputedFields } from './schema-context.ts'
import type { TableModel } from './source-model.ts'

interface AggregateBuilders {
  readonly row: (table: TableModel) => GraphQLObjectType
  readonly functionArguments: FunctionArguments
  readonly scalars: ScalarTypes
  readonly filters: FilterTypes
}

/** `…_aggregate`: the aggregates over the rows, and the rows. */
export function createAggregateTypes(
  context: SchemaContext,
  builders: AggregateBuilders,
): (table: TableModel) => GraphQLObjectType {
  const fieldsType = memoize((table: TableModel) => aggregateFieldsType(context, table, builders))
  return memoize(
    (table: TableModel) =>
      new GraphQLObjectType({
        name: table.typeNamed('aggregate'),
        description: `aggregated selection of "${table.name.name}"`,
        fields: () => ({
          aggregate: field({ kind: 'aggregate' }, fieldsType(table)),
          nodes: field({ kind: 'nodes' }, listOf(builders.row(table))),
        }),
      }),
  )
}

const aggregateFieldsType = (
  context: SchemaContext,
  table: TableModel,
  builders: AggregateBuilders,
): GraphQLObjectType =>
  new GraphQLObjectType({
    name: table.typeNamed('aggregate_fields'),
    description: `aggregate fields of "${table.name.name}"`,
    fields: () => {
      const fields: FieldConfigMap = { count: countField(context, table, builders.filters) }
      for (const aggregateFunction of aggregateFunctions) {
        const own = aggregatedFields(context, table, aggregateFunction, builders)
        if (Object.keys(own).length === 0) continue
        const { name } = aggregateFunction
        const type = new GraphQLObjectType({
          name: table.typeNamed(`${name}_fields`),
          description: `aggregate ${name} on columns`,
          fields: own,
        })
        fields[context.source.naming.field(name)] = field(
          { kind: 'aggregate-function', function: aggregateFunction },
          type,
        )
      }
      return fields
    },
  })

function countField(context: SchemaContext, table: TableModel, filters: FilterTypes) {
  const columns =
    visibleColumns(context, table).length === 0
      ? {}
      : { columns: nonNull(new GraphQLList(new GraphQLNonNull(filters.selectColumn(table)))) }
  return field({ kind: 'count' }, new GraphQLNonNull(GraphQLInt), {
    args: { ...columns, distinct: nonNull(GraphQLBoolean) },
  })
}

/** The columns and computed fields that can be aggregated with it. */
function aggregatedFields(
  context: SchemaContext,
  table: TableModel,
  { applies, keepsType }: AggregateFunction,
  { scalars, functionArguments }: AggregateBuilders,
): FieldConfigMap {
  const fields: FieldConfigMap = {}
  for (const column of visibleColumns(context, table))
    if (applies(column))
      fields[column.graphqlName] = field(
        { kind: 'column', column },
        keepsType ? scalars.ofColumn(column) : GraphQLFloat,
        { description: column.comment },
      )
  for (const computed of visibleComputedFields(context, table)) {
    const { name, returns } = computed
    if (returns.kind !== 'scalar' || !applies({ type: returns.type, enumTable: undefined })) continue
    const own = computedScalarField(table, computed, scalars, functionArguments)
    if (own !== undefined) fields[name] = own
  }
  return fields
}
