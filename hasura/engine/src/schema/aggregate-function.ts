import type { CatalogType } from '../catalog/types.ts'
import { isComparable, isNumeric } from './postgres-type.ts'

/** The aggregates of `…_aggregate_fields` besides `count`, as Hasura offers them. */
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
  readonly applies: (type: CatalogType) => boolean
  /** Whether the result has the column's type; otherwise it is a Float. */
  readonly keepsType: boolean
}

const statistic = (name: AggregateFunction['name']): AggregateFunction => ({
  name,
  applies: isNumeric,
  keepsType: false,
})

export const aggregateFunctions: readonly AggregateFunction[] = [
  statistic('avg'),
  { name: 'max', applies: isComparable, keepsType: true },
  { name: 'min', applies: isComparable, keepsType: true },
  statistic('stddev'),
  statistic('stddev_pop'),
  statistic('stddev_samp'),
  { name: 'sum', applies: isNumeric, keepsType: true },
  statistic('var_pop'),
  statistic('var_samp'),
  statistic('variance'),
]
