import type { CatalogType } from '../catalog/types.ts'
import type { BinaryOperator, TypeName } from '../sql/ast.ts'
import { builtinType } from '../sql/build.ts'
import { baseType, isText } from './postgres-type.ts'

/**
 * The operators of `…_comparison_exp`, by type. One table serves the GraphQL schema, the `where` argument
 * and the expressions of permissions.
 */
export interface ComparisonOperator {
  readonly name: string
  readonly sql: BinaryOperator
  readonly operand: ComparisonOperand
}

export type ComparisonOperand =
  /** A value of the column's own type. */
  | { readonly kind: 'same' }
  /** A list of such values, compared one by one. */
  | { readonly kind: 'each'; readonly quantifier: 'ANY' | 'ALL' }
  /** A value of another type, by its GraphQL name. */
  | { readonly kind: 'other'; readonly graphqlName: string; readonly type: TypeName }
  /** A list that Postgres takes as one array. */
  | {
      readonly kind: 'array'
      readonly graphqlName: string
      readonly type: TypeName
      readonly quantified: boolean
    }

const same = (name: string, sql: BinaryOperator): ComparisonOperator => ({
  name,
  sql,
  operand: { kind: 'same' },
})

const general: readonly ComparisonOperator[] = [
  same('_eq', '='),
  same('_neq', '<>'),
  same('_gt', '>'),
  same('_gte', '>='),
  same('_lt', '<'),
  same('_lte', '<='),
  { name: '_in', sql: '=', operand: { kind: 'each', quantifier: 'ANY' } },
  { name: '_nin', sql: '<>', operand: { kind: 'each', quantifier: 'ALL' } },
]

const textOperators: readonly ComparisonOperator[] = [
  same('_like', 'LIKE'),
  same('_nlike', 'NOT LIKE'),
  same('_ilike', 'ILIKE'),
  same('_nilike', 'NOT ILIKE'),
  same('_similar', 'SIMILAR TO'),
  same('_nsimilar', 'NOT SIMILAR TO'),
  same('_regex', '~'),
  same('_iregex', '~*'),
  same('_nregex', '!~'),
  same('_niregex', '!~*'),
]

const containment: readonly ComparisonOperator[] = [same('_contains', '@>'), same('_contained_in', '<@')]

const text = builtinType('text')
const texts = builtinType('_text')

const jsonbOperators: readonly ComparisonOperator[] = [
  ...containment,
  { name: '_has_key', sql: '?', operand: { kind: 'other', graphqlName: 'String', type: text } },
  {
    name: '_has_keys_any',
    sql: '?|',
    operand: { kind: 'array', graphqlName: 'String', type: texts, quantified: false },
  },
  {
    name: '_has_keys_all',
    sql: '?&',
    operand: { kind: 'array', graphqlName: 'String', type: texts, quantified: false },
  },
]

/** The extension's types live in the schema of `ltree` itself. */
const ltreeOperators = (schema: string): readonly ComparisonOperator[] => {
  const other = (name: string, sql: BinaryOperator, type: string): ComparisonOperator => ({
    name,
    sql,
    operand: { kind: 'other', graphqlName: type, type: { schema, name: type } },
  })
  const anyOf = (name: string, sql: BinaryOperator, type: string): ComparisonOperator => ({
    name,
    sql,
    operand: { kind: 'array', graphqlName: type, type: { schema, name: `_${type}` }, quantified: true },
  })
  return [
    same('_ancestor', '@>'),
    anyOf('_ancestor_any', '@>', 'ltree'),
    same('_descendant', '<@'),
    anyOf('_descendant_any', '<@', 'ltree'),
    other('_matches', '~', 'lquery'),
    anyOf('_matches_any', '~', 'lquery'),
    other('_matches_fulltext', '@', 'ltxtquery'),
  ]
}

/** The operators that a column of this type has, besides `_is_null` and `_cast`. */
export const comparisonOperators = (type: CatalogType): readonly ComparisonOperator[] => {
  const base = baseType(type)
  if (base.category === 'array') return [...general, ...containment]
  if (isText(base)) return [...general, ...textOperators]
  if (base.name === 'jsonb') return [...general, ...jsonbOperators]
  if (base.name === 'ltree') return [...general, ...ltreeOperators(base.schema)]
  return general
}

/** Casts that `_cast` offers: jsonb can be compared as text. */
export const castTarget = (
  type: CatalogType,
): { readonly graphqlName: string; readonly type: CatalogType } | undefined =>
  baseType(type).name === 'jsonb'
    ? { graphqlName: 'String', type: { category: 'base', schema: 'pg_catalog', name: 'text' } }
    : undefined

/** Permissions may compare with another column: `_ceq` and its kin, by the operator that they mean. */
export const columnOperators: Readonly<Record<string, BinaryOperator>> = {
  _ceq: '=',
  _cne: '<>',
  _cneq: '<>',
  _cgt: '>',
  _cgte: '>=',
  _clt: '<',
  _clte: '<=',
}

/** Older spellings in metadata: `$eq` for `_eq`, `_ne` for `_neq`. */
export const canonicalOperator = (key: string): string => {
  const name = key.startsWith('$') ? `_${key.slice(1)}` : key
  return name === '_ne' ? '_neq' : name
}
