import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLInputFieldConfig,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql'
import type { CatalogType } from '../catalog/types.ts'
import type { FilterTypes } from './filter-types.ts'
import { nonNull } from './input-rule.ts'
import { renamed } from './naming.ts'
import type { ScalarTypes } from './scalar-types.ts'
import { type SchemaContext, visibleColumns } from './schema-context.ts'
import type { TableModel } from './source-model.ts'

/** An aggregate of related rows that rows can be filtered by: `articles_aggregate: {count: {predicate: {_gt: 1}}}`. */
export interface AggregatePredicate {
  readonly name: AggregatePredicateName
  /** `columns`: any number of any columns; otherwise columns of the one type that Hasura offers, by these names. */
  readonly takes: 'columns' | { readonly type: string; readonly arguments: readonly string[] | undefined }
  readonly returns: CatalogType
}

export type AggregatePredicateName =
  | 'avg'
  | 'bool_and'
  | 'bool_or'
  | 'corr'
  | 'count'
  | 'covar_samp'
  | 'max'
  | 'min'
  | 'stddev_samp'
  | 'sum'
  | 'var_samp'

const builtin = (name: string): CatalogType => ({ category: 'base', schema: 'pg_catalog', name })

const ofOne = (name: AggregatePredicateName, type: string): AggregatePredicate => ({
  name,
  takes: { type, arguments: undefined },
  returns: builtin(type),
})

const ofTwo = (name: AggregatePredicateName): AggregatePredicate => ({
  name,
  takes: { type: 'float8', arguments: ['Y', 'X'] },
  returns: builtin('float8'),
})

/** As in Hasura: of numbers only those of double precision. */
export const aggregatePredicates: readonly AggregatePredicate[] = [
  ofOne('avg', 'float8'),
  ofOne('bool_and', 'bool'),
  ofOne('bool_or', 'bool'),
  ofTwo('corr'),
  { name: 'count', takes: 'columns', returns: builtin('int4') },
  ofTwo('covar_samp'),
  ofOne('max', 'float8'),
  ofOne('min', 'float8'),
  ofOne('stddev_samp', 'float8'),
  ofOne('sum', 'float8'),
  ofOne('var_samp', 'float8'),
]

/** `…_aggregate_bool_exp` of a table, with an object for each aggregate that its visible columns allow. */
export function aggregateBoolExpType(
  context: SchemaContext,
  table: TableModel,
  scalars: ScalarTypes,
  { selectColumn, boolExp }: Pick<FilterTypes, 'selectColumn' | 'boolExp'>,
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

/** Undefined where the role sees no column of the type. */
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
