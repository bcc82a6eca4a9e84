import {
  GraphQLInputObjectType,
  type GraphQLInputFieldConfig,
  GraphQLBoolean,
  GraphQLNonNull,
  type GraphQLInputFieldConfigMap,
  GraphQLList,
  GraphQLEnumType,
} from 'graphql'
import {
  type AggregatePredicate,
  aggregatePredicates,
  type AggregatePredicateName,
} from './aggregate-predicate.ts'
import { nonNull } from './input-rule.ts'
import { renamed } from './naming.ts'
import type { ScalarTypes } from './scalar-types.ts'
import { type SchemaContext, visibleColumns } from './schema-context.ts'
import type { TableModel } from './source-model.ts'

/** The types that it refers to, besides the scalars' comparisons. */
interface TableFilterTypes {
  readonly selectColumn: (table: TableModel) => GraphQLEnumType
  readonly boolExp: (table: TableModel) => GraphQLInputObjectType
}

/** `…_aggregate_bool_exp` of a table, with an object for each aggregate that its visible columns allow. */
export function aggregateBoolExpType(
  context: SchemaContext,
  table: TableModel,
  scalars: ScalarTypes,
  { selectColumn, boolExp }: TableFilterTypes,
): GraphQLInputObjectType {
  const field = (
    { name, returns }: AggregatePredicate,
    argumentsField: GraphQLInputFieldConfig,
  ): GraphQLInputFieldConfig =>
    nonNull(
      new GraphQLInputObjectType({
        name: table.typeNamed(`aggregate_bool_exp_${name}`),
        fields: {
          arguments: argumentsField,
          distinct: nonNull(GraphQLBoolean),
          filter: nonNull(boolExp(table)),
          predicate: { type: new GraphQLNonNull(scalars.comparisonOfType(returns)) },
        },
      }),
    )
  return new GraphQLInputObjectType({
    name: table.typeNamed('aggregate_bool_exp'),
    fields: () => {
      const fields: GraphQLInputFieldConfigMap = {}
      for (const predicate of aggregatePredicates) {
        const given =
          predicate.takes === 'columns'
            ? nonNull(new GraphQLList(new GraphQLNonNull(selectColumn(table))))
            : typedArguments(context, table, predicate.name, predicate.takes)
        if (given !== undefined) fields[predicate.name] = field(predicate, given)
      }
      return renamed(fields, context.source.naming.field)
    },
  })
}

/** Undefined if the role may read no column of the type. */
function typedArguments(
  context: SchemaContext,
  table: TableModel,
  name: AggregatePredicateName,
  { type, arguments: names }: Exclude<AggregatePredicate['takes'], 'columns'>,
): GraphQLInputFieldConfig | undefined {
  const columns = visibleColumns(context, table).filter((column) => column.type.name === type)
  if (columns.length === 0) return undefined
  const predicate = `aggregate_bool_exp_${name}`
  const column = new GraphQLEnumType({
    name: table.typeNamed(`select_column_${table.typeNamed(predicate)}_arguments_columns`),
    description: `select "${table.typeNamed(predicate)}_arguments_columns" columns of table "${table.name.name}"`,
    values: Object.fromEntries(
      columns.map(({ graphqlName }) => [graphqlName, { description: 'column name' }]),
    ),
  })
  if (names === undefined) return { type: new GraphQLNonNull(column) }
  const both = new GraphQLInputObjectType({
    name: table.typeNamed(`${predicate}_arguments`),
    fields: Object.fromEntries(names.map((each) => [each, { type: new GraphQLNonNull(column) }])),
  })
  return { type: new GraphQLNonNull(both) }
}
