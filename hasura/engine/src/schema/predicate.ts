import type { QualifiedName } from '../metadata/types.ts'
import type { BinaryOperator, TypeName } from '../sql/ast.ts'
import type { ParameterSource } from '../sql/parameter.ts'
import type { AggregatePredicateName } from './aggregate-predicate.ts'
import type { RelationshipModel } from './source-model.ts'

/**
 * A condition on the rows of a table, from a permission or a `where` argument. It names columns and relationships, not
 * aliases; `sql/predicate.ts` turns it into an expression.
 */
export type Predicate =
  | { readonly kind: 'constant'; readonly value: boolean }
  | { readonly kind: 'and'; readonly operands: readonly Predicate[] }
  | { readonly kind: 'or'; readonly operands: readonly Predicate[] }
  | { readonly kind: 'not'; readonly operand: Predicate }
  /** A permission's expression. The current row is its root, also when it is inside another expression. */
  | { readonly kind: 'permission'; readonly predicate: Predicate }
  | {
      readonly kind: 'compare'
      readonly left: Operand
      readonly operator: BinaryOperator
      readonly right: Value
    }
  /** `left operator ANY (list)` for `_in`, `ALL` for `_nin`. */
  | {
      readonly kind: 'compare-list'
      readonly left: Operand
      readonly operator: BinaryOperator
      readonly quantifier: 'ANY' | 'ALL'
      readonly list: Value
    }
  /** A PostGIS function of the operand and the other arguments, with a boolean result. */
  | {
      readonly kind: 'spatial'
      readonly function: QualifiedName
      readonly left: Operand
      readonly others: readonly Value[]
    }
  | { readonly kind: 'is-null'; readonly operand: Operand; readonly negated: boolean }
  /** True if `predicate` is true for a related row. */
  | {
      readonly kind: 'related'
      readonly relationship: RelationshipModel
      readonly table: QualifiedName
      readonly predicate: Predicate
    }
  /** True if `predicate` is true for a row of another table, without a join between the tables. */
  | { readonly kind: 'exists'; readonly table: QualifiedName; readonly predicate: Predicate }
  /** True if `predicate` is true for a row that a table computed field returns. */
  | { readonly kind: 'computed-rows'; readonly call: ComputedCall; readonly predicate: Predicate }
  /** A comparison with an aggregate over the related rows (`articles_aggregate: {count: …}`). */
  | {
      readonly kind: 'related-aggregate'
      readonly relationship: RelationshipModel
      readonly table: QualifiedName
      readonly filter: Predicate
      readonly aggregate: {
        readonly function: AggregatePredicateName
        readonly columns: readonly Operand[]
        readonly distinct: boolean
      }
      /** A condition on the aggregate, which is the operand `aggregate`. */
      readonly having: Predicate
    }

export type Operand =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'computed'; readonly call: ComputedCall }
  /** The aggregate, in a condition on an aggregate over related rows. */
  | { readonly kind: 'aggregate' }
  | { readonly kind: 'cast'; readonly operand: Operand; readonly type: TypeName }
  /** An operand that an inherited role may read in some rows only: null in rows for which `when` isn't true. */
  | { readonly kind: 'masked'; readonly operand: Operand; readonly when: Predicate }

/** A call of a computed field's function on the current row. */
export interface ComputedCall {
  readonly function: QualifiedName
  readonly arguments: readonly CallArgument[]
}

export interface CallArgument {
  readonly name: string | undefined
  readonly value: Value | { readonly kind: 'current-row' }
}

export type Value =
  /** A variable, session variable or literal of the document, bound when the statement runs. */
  | { readonly kind: 'parameter'; readonly source: ParameterSource; readonly type: TypeName }
  /** A literal of the metadata. It is part of the SQL, so that Postgres can plan with it. */
  | { readonly kind: 'constant'; readonly text: string | null; readonly type: TypeName }
  | { readonly kind: 'array'; readonly items: readonly Value[]; readonly type: TypeName }
  /** Another column, of the current row or of the row that the whole expression is about (`["$", "column"]`). */
  | { readonly kind: 'column'; readonly scope: 'current' | 'root'; readonly name: string }

export const always: Predicate = { kind: 'constant', value: true }

export function allOf(operands: readonly Predicate[]): Predicate {
  const parts = operands.filter((operand) => !(operand.kind === 'constant' && operand.value))
  const [first] = parts
  if (first === undefined) return always
  return parts.length === 1 ? first : { kind: 'and', operands: parts }
}

/**
 * Wraps a permission's expression, so that it keeps its own root inside a client's or another permission's expression.
 */
export const permissionOf = (predicate: Predicate): Predicate =>
  predicate.kind === 'constant' ? predicate : { kind: 'permission', predicate }

export const isAlways = (predicate: Predicate): boolean =>
  predicate.kind === 'permission'
    ? isAlways(predicate.predicate)
    : predicate.kind === 'and'
      ? predicate.operands.every(isAlways)
      : predicate.kind === 'constant' && predicate.value

export function anyOf(operands: readonly Predicate[]): Predicate {
  if (operands.some(isAlways)) return always
  const [first] = operands
  return first !== undefined && operands.length === 1 ? first : { kind: 'or', operands }
}

/** An operand's column, masked or not; undefined for any other operand. */
function columnOf(operand: Operand): string | undefined {
  if (operand.kind === 'masked') return columnOf(operand.operand)
  return operand.kind === 'column' ? operand.name : undefined
}

export const isSameColumn = (a: Operand, b: Operand): boolean =>
  columnOf(a) !== undefined && columnOf(a) === columnOf(b)
