import { isComparable, isNumeric } from './postgres-type.ts'
import type { ColumnModel } from './source-model.ts'

/** The aggregates of `…_aggregate_fields` besides `count`, with Hasura's types. */
export interface AggregateFunction {
  readonly name:
    | 'avg'
    | 'max'
    | 'min'
    | 'stddev'
    | 'stddev_pop'
    | 'stddev_samp'
    | 'sum'
    | 'var_pop'
    | 'var_samp'
    | 'variance'
  readonly applies: (value: Aggregated) => boolean
  /** Whether the result has the column's type; otherwise it is a Float. */
  readonly keepsType: boolean
}

/** An aggregated column, or a computed field, which has no enum table. */
type Aggregated = Pick<ColumnModel, 'type' | 'enumTable'>

/** A column of enum values is neither numeric nor ordered, whatever its type. */
const numeric = ({ type, enumTable }: Aggregated): boolean => enumTable === undefined && isNumeric(type)
const comparable = ({ type, enumTable }: Aggregated): boolean => enumTable === undefined && isComparable(type)

const statistic = (name: AggregateFunction['name']): AggregateFunction => ({
  name,
  applies: numeric,
  keepsType: false,
})

export const aggregateFunctions: readonly AggregateFunction[] = [
  statistic('avg'),
  { name: 'max', applies: comparable, keepsType: true },
  { name: 'min', applies: comparable, keepsType: true },
  statistic('stddev'),
  statistic('stddev_pop'),
  statistic('stddev_samp'),
  { name: 'sum', applies: numeric, keepsType: true },
  statistic('var_pop'),
  statistic('var_samp'),
  statistic('variance'),
]
