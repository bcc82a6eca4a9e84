import type { CatalogType } from '../catalog/types.ts'
import type { BinaryOperator, TypeName } from '../sql/ast.ts'
import { builtinType } from '../sql/build.ts'
import { baseType, isText, scalarName } from './postgres-type.ts'
import type { Predicate } from './predicate.ts'
import { type SpatialOperator, spatialOperators } from './spatial-operator.ts'
import { spatialType } from './spatial-type.ts'

/**
 * The operators of `…_comparison_exp`, by type. The GraphQL schema, `where` arguments and permissions all use this
 * table.
 */
export type ComparisonOperator = BinaryComparison | SpatialOperator

export interface BinaryComparison {
  readonly kind: 'binary'
  readonly name: string
  readonly sql: BinaryOperator
  /** Whether it is the negation of `sql`. */
  readonly negated?: boolean
  readonly operand: ComparisonOperand
  readonly description?: string
  /** Whether its operand may be null; Postgres then decides the result. */
  readonly nullable?: boolean
}

type ComparisonOperand =
  /** A value of the column's own type. */
  | { readonly kind: 'same' }
  /** A list of such values, compared item by item. */
  | { readonly kind: 'each'; readonly quantifier: 'ANY' | 'ALL' }
  /** A value of another type, by its GraphQL name. */
  | { readonly kind: 'other'; readonly graphqlName: string; readonly type: TypeName }
  /** A list as one array of Postgres. */
  | {
      readonly kind: 'array'
      readonly graphqlName: string
      readonly type: TypeName
      readonly quantified: boolean
    }

const same = (name: string, sql: BinaryOperator, description?: string): BinaryComparison => ({
  kind: 'binary',
  name,
  sql,
  operand: { kind: 'same' },
  ...(description === undefined ? {} : { description }),
})

const ordering: readonly ComparisonOperator[] = [
  same('_gt', '>'),
  same('_gte', '>='),
  same('_lt', '<'),
  same('_lte', '<='),
]

const oneOf: BinaryComparison = {
  kind: 'binary',
  name: '_in',
  sql: '=',
  operand: { kind: 'each', quantifier: 'ANY' },
}

const general: readonly ComparisonOperator[] = [
  same('_eq', '='),
  same('_neq', '<>'),
  ...ordering,
  oneOf,
  { kind: 'binary', name: '_nin', sql: '<>', operand: { kind: 'each', quantifier: 'ALL' } },
]

/** PostGIS has `=` without `<>`. */
const spatialEquality: readonly ComparisonOperator[] = [
  same('_eq', '='),
  { ...same('_neq', '='), negated: true },
  oneOf,
  { ...oneOf, name: '_nin', negated: true },
]

const textOperators: readonly ComparisonOperator[] = [
  same('_like', 'LIKE', 'does the column match the given pattern'),
  same('_nlike', 'NOT LIKE', 'does the column NOT match the given pattern'),
  same('_ilike', 'ILIKE', 'does the column match the given case-insensitive pattern'),
  same('_nilike', 'NOT ILIKE', 'does the column NOT match the given case-insensitive pattern'),
  same('_similar', 'SIMILAR TO', 'does the column match the given SQL regular expression'),
  same('_nsimilar', 'NOT SIMILAR TO', 'does the column NOT match the given SQL regular expression'),
  same('_regex', '~', 'does the column match the given POSIX regular expression, case sensitive'),
  same('_iregex', '~*', 'does the column match the given POSIX regular expression, case insensitive'),
  same('_nregex', '!~', 'does the column NOT match the given POSIX regular expression, case sensitive'),
  same('_niregex', '!~*', 'does the column NOT match the given POSIX regular expression, case insensitive'),
]

const arrayOperators: readonly ComparisonOperator[] = [
  same('_contains', '@>', 'does the array contain the given value'),
  same('_contained_in', '<@', 'is the array contained in the given array value'),
]

const text = builtinType('text')
const texts = builtinType('_text')

const jsonpath = builtinType('jsonpath')

const jsonbOperators: readonly ComparisonOperator[] = [
  same('_contains', '@>', 'does the column contain the given json value at the top level'),
  same('_contained_in', '<@', 'is the column contained in the given json value'),
  {
    kind: 'binary',
    name: '_has_key',
    sql: '?',
    operand: { kind: 'other', graphqlName: 'String', type: text },
    description: 'does the string exist as a top-level key in the column',
    nullable: true,
  },
  {
    kind: 'binary',
    name: '_has_keys_any',
    sql: '?|',
    operand: { kind: 'array', graphqlName: 'String', type: texts, quantified: false },
    description: 'do any of these strings exist as top-level keys in the column',
  },
  {
    kind: 'binary',
    name: '_has_keys_all',
    sql: '?&',
    operand: { kind: 'array', graphqlName: 'String', type: texts, quantified: false },
    description: 'do all of these strings exist as top-level keys in the column',
  },
  {
    kind: 'binary',
    name: '_jsonb_path_exists',
    sql: '@?',
    operand: { kind: 'other', graphqlName: 'String', type: jsonpath },
    description: 'does the jsonpath return any item for the specified JSON value',
  },
  {
    kind: 'binary',
    name: '_jsonb_path_match',
    sql: '@@',
    operand: { kind: 'other', graphqlName: 'String', type: jsonpath },
    description: 'does the jsonpath predicate check return true for the specified JSON value',
  },
]

/** The extension's types are in the schema of `ltree`. */
function ltreeOperators(schema: string): readonly ComparisonOperator[] {
  const other = (
    name: string,
    sql: BinaryOperator,
    type: string,
    description: string,
  ): ComparisonOperator => ({
    kind: 'binary',
    name,
    sql,
    operand: { kind: 'other', graphqlName: type, type: { schema, name: type } },
    description,
  })
  const anyOf = (
    name: string,
    sql: BinaryOperator,
    type: string,
    description: string,
    graphqlName = type,
  ): ComparisonOperator => ({
    kind: 'binary',
    name,
    sql,
    operand: { kind: 'array', graphqlName, type: { schema, name: `_${type}` }, quantified: true },
    description,
  })
  return [
    same('_ancestor', '@>', 'is the left argument an ancestor of right (or equal)?'),
    anyOf('_ancestor_any', '@>', 'ltree', 'does array contain an ancestor of `ltree`?'),
    same('_descendant', '<@', 'is the left argument a descendant of right (or equal)?'),
    anyOf('_descendant_any', '<@', 'ltree', 'does array contain a descendant of `ltree`?'),
    other('_matches', '~', 'lquery', 'does `ltree` match `lquery`?'),
    anyOf('_matches_any', '~', 'lquery', 'does `ltree` match any `lquery` in array?', 'String'),
    other('_matches_fulltext', '@', 'ltxtquery', 'does `ltree` match `ltxtquery`?'),
  ]
}

/** The operators for a column of this type, besides `_is_null` and `_cast`. */
export function comparisonOperators(type: CatalogType): readonly ComparisonOperator[] {
  const base = baseType(type)
  if (base.category === 'array') return [...general, ...arrayOperators]
  if (isText(base)) return [...general, ...textOperators]
  if (base.name === 'jsonb') return [...general, ...jsonbOperators]
  if (base.name === 'ltree') return [...general, ...ltreeOperators(base.schema)]
  const spatial = spatialType(base)
  if (spatial === undefined) return general
  return [...spatialEquality, ...(spatial.name === 'raster' ? [] : ordering), ...spatialOperators(spatial)]
}

/** The comparison, negated if its operator is. */
export const asMeant = ({ negated = false }: BinaryComparison, comparison: Predicate): Predicate =>
  negated ? { kind: 'not', operand: comparison } : comparison

export interface CastTarget {
  /** The cast's name in `…_cast_exp`. */
  readonly graphqlName: string
  readonly type: CatalogType
}

/** The cast of `_cast`: jsonb as text, geometry and geography as each other. */
export function castTarget(type: CatalogType): CastTarget | undefined {
  const target = castTargetType(baseType(type))
  return target && { graphqlName: scalarName(target), type: target }
}

function castTargetType({ schema, name }: CatalogType): CatalogType | undefined {
  switch (name) {
    case 'jsonb':
      return { category: 'base', schema: 'pg_catalog', name: 'text' }
    case 'geometry':
      return { category: 'base', schema, name: 'geography' }
    case 'geography':
      return { category: 'base', schema, name: 'geometry' }
    default:
      return undefined
  }
}

/** In JSON, boolean expressions may compare with another column: `_ceq` and its like, by their operator. */
export const columnOperators: ReadonlyMap<string, BinaryOperator> = new Map([
  ['_ceq', '='],
  ['_cne', '<>'],
  ['_cneq', '<>'],
  ['_cgt', '>'],
  ['_cgte', '>='],
  ['_clt', '<'],
  ['_clte', '<='],
])

/** Older spellings in metadata: `$eq` for `_eq`, `_ne` for `_neq`. */
export function canonicalOperator(key: string): string {
  const name = key.startsWith('$') ? `_${key.slice(1)}` : key
  return name === '_ne' ? '_neq' : name
}
