import {
  GraphQLEnumType,
  type GraphQLInputFieldConfigMap,
  GraphQLInputObjectType,
  GraphQLList,
  GraphQLNonNull,
} from 'graphql'
import { aggregateFunctions } from './aggregate-function.ts'
import { aggregateBoolExpType } from './aggregate-bool-exp-type.ts'
import { nonNull } from './input-rule.ts'
import { memoize } from './memoize.ts'
import { type Naming, renamed } from './naming.ts'
import type { ScalarTypes } from './scalar-types.ts'
import {
  type SchemaContext,
  selectAccess,
  tableOf,
  visibleColumns,
  visibleComputedFields,
  visibleRelationships,
} from './schema-context.ts'
import type { ColumnModel, TableModel } from './source-model.ts'

export interface FilterTypes {
  readonly boolExp: (table: TableModel) => GraphQLInputObjectType
  readonly orderBy: (table: TableModel) => GraphQLInputObjectType
  readonly selectColumn: (table: TableModel) => GraphQLEnumType
}

const orderDirectionType = ({ type, enumValue }: Naming): GraphQLEnumType =>
  new GraphQLEnumType({
    name: type('order_by'),
    description: 'column ordering options',
    values: renamed(
      {
        asc: { description: 'in ascending order, nulls last' },
        asc_nulls_first: { description: 'in ascending order, nulls first' },
        asc_nulls_last: { description: 'in ascending order, nulls last' },
        desc: { description: 'in descending order, nulls first' },
        desc_nulls_first: { description: 'in descending order, nulls first' },
        desc_nulls_last: { description: 'in descending order, nulls last' },
      },
      enumValue,
    ),
  })

/** Builds the inputs that filter and sort rows: `…_bool_exp`, `…_order_by`, `…_select_column`. */
export function createFilterTypes(context: SchemaContext, scalars: ScalarTypes): FilterTypes {
  const selectColumn = memoize((table: TableModel) => columnEnum(table, visibleColumns(context, table)))
  const aggregateBoolExp = memoize((table: TableModel) =>
    aggregateBoolExpType(context, table, scalars, { selectColumn, boolExp }),
  )
  const boolExp: FilterTypes['boolExp'] = memoize(
    (table) =>
      new GraphQLInputObjectType({
        name: table.typeNamed('bool_exp'),
        description: `Boolean expression to filter rows from the table "${table.name.name}". All fields are combined with a logical 'AND'.`,
        fields: () => boolExpFields(context, table, scalars, boolExp, aggregateBoolExp),
      }),
  )
  const orderDirection = orderDirectionType(context.source.naming)
  const aggregateOrderBy = memoize((table: TableModel) =>
    aggregateOrderByType(context, table, orderDirection),
  )
  const orderBy: FilterTypes['orderBy'] = memoize(
    (table) =>
      new GraphQLInputObjectType({
        name: table.typeNamed('order_by'),
        description: `Ordering options when selecting data from "${table.name.name}".`,
        fields: () => orderByFields(context, table, { orderDirection, orderBy, aggregateOrderBy }),
      }),
  )
  return { boolExp, orderBy, selectColumn }
}

const columnEnum = (table: TableModel, columns: readonly ColumnModel[]): GraphQLEnumType =>
  new GraphQLEnumType({
    name: table.typeNamed('select_column'),
    description: `select columns of table "${table.name.name}"`,
    values: Object.fromEntries(
      columns.map(({ graphqlName }) => [graphqlName, { description: 'column name' }]),
    ),
  })

function boolExpFields(
  context: SchemaContext,
  table: TableModel,
  scalars: ScalarTypes,
  boolExp: FilterTypes['boolExp'],
  aggregateBoolExp: (table: TableModel) => GraphQLInputObjectType,
): GraphQLInputFieldConfigMap {
  const { naming } = context.source
  const hasPredicates = !context.features.includes('hide_aggregation_predicates')
  const own = boolExp(table)
  const list = new GraphQLList(new GraphQLNonNull(own))
  const fields: GraphQLInputFieldConfigMap = {
    _and: nonNull(list),
    _not: nonNull(own),
    _or: nonNull(list),
  }
  // A role that may write rows without reading any has no fields to filter by.
  if (selectAccess(context, table) === undefined) return fields
  for (const column of visibleColumns(context, table))
    fields[column.graphqlName] = nonNull(scalars.comparisonOfColumn(column))
  for (const { relationship, target, select } of visibleRelationships(context, table)) {
    fields[relationship.name] = nonNull(boolExp(target))
    if (relationship.kind === 'array' && select.aggregations && hasPredicates)
      Object.assign(
        fields,
        renamed({ [`${relationship.name}_aggregate`]: nonNull(aggregateBoolExp(target)) }, naming.field),
      )
  }
  for (const { name, returns, arguments: given } of visibleComputedFields(context, table)) {
    // A function with required arguments of the client can't be compared.
    if (given.some(({ hasDefault }) => !hasDefault)) continue
    fields[name] = nonNull(
      returns.kind === 'scalar'
        ? scalars.comparisonOfType(returns.type)
        : boolExp(tableOf(context, returns.table)),
    )
  }
  return fields
}

interface OrderTypes {
  readonly orderDirection: GraphQLEnumType
  readonly orderBy: FilterTypes['orderBy']
  readonly aggregateOrderBy: (table: TableModel) => GraphQLInputObjectType
}

function orderByFields(
  context: SchemaContext,
  table: TableModel,
  { orderDirection, orderBy, aggregateOrderBy }: OrderTypes,
): GraphQLInputFieldConfigMap {
  const { naming } = context.source
  const fields: GraphQLInputFieldConfigMap = {}
  for (const { graphqlName } of visibleColumns(context, table)) fields[graphqlName] = { type: orderDirection }
  for (const { relationship, target, select } of visibleRelationships(context, table)) {
    if (relationship.kind === 'object') fields[relationship.name] = { type: orderBy(target) }
    else if (select.aggregations)
      Object.assign(
        fields,
        renamed({ [`${relationship.name}_aggregate`]: { type: aggregateOrderBy(target) } }, naming.field),
      )
  }
  for (const { name, returns, arguments: given } of visibleComputedFields(context, table)) {
    if (given.some(({ hasDefault }) => !hasDefault)) continue
    if (returns.kind === 'scalar') fields[name] = { type: orderDirection }
    else if (selectsAggregates(context, returns.table))
      Object.assign(
        fields,
        renamed(
          { [`${name}_aggregate`]: { type: aggregateOrderBy(tableOf(context, returns.table)) } },
          naming.field,
        ),
      )
  }
  return fields
}

const selectsAggregates = (context: SchemaContext, key: string): boolean =>
  context.access.table(tableOf(context, key)).select?.aggregations === true

function aggregateOrderByType(
  context: SchemaContext,
  table: TableModel,
  orderDirection: GraphQLEnumType,
): GraphQLInputObjectType {
  const columns = visibleColumns(context, table)
  return new GraphQLInputObjectType({
    name: table.typeNamed('aggregate_order_by'),
    description: `order by aggregate values of table "${table.name.name}"`,
    fields: () => {
      const fields: GraphQLInputFieldConfigMap = { count: { type: orderDirection } }
      for (const { name, applies } of aggregateFunctions) {
        const own = columns.filter(applies)
        if (own.length === 0) continue
        fields[name] = {
          type: new GraphQLInputObjectType({
            name: table.typeNamed(`${name}_order_by`),
            description: `order by ${name}() on columns of table "${table.name.name}"`,
            fields: Object.fromEntries(own.map(({ graphqlName }) => [graphqlName, { type: orderDirection }])),
          }),
        }
      }
      return renamed(fields, context.source.naming.field)
    },
  })
}
