import type { CatalogType } from '../catalog/types.ts'

/** An aggregate over related rows that can be a filter: `articles_aggregate: {count: {predicate: {_gt: 1}}}`. */
export interface AggregatePredicate {
  readonly name: AggregatePredicateName
  /** `columns`: any columns. Otherwise columns of Hasura's one type, by the names of the arguments. */
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

/** As in Hasura, only numbers of double precision are offered. */
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
