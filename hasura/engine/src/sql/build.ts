import type { QualifiedName } from '../metadata/types.ts'
import type {
  BinaryOperator,
  BuiltinFunction,
  Expression,
  FunctionCall,
  Projection,
  Select,
  TypeName,
} from './ast.ts'

/** Short constructors for nodes. */

export const column = (relation: string, name: string): Expression => ({ kind: 'column', relation, name })

export const text = (value: string): Expression => ({ kind: 'text', value })

export const boolean = (value: boolean): Expression => ({ kind: 'boolean', value })

export const integer = (value: number): Expression => ({ kind: 'integer', value })

export const binary = (left: Expression, operator: BinaryOperator, right: Expression): Expression => ({
  kind: 'binary',
  operator,
  left,
  right,
})

export const cast = (operand: Expression, type: TypeName): Expression => ({ kind: 'cast', operand, type })

export const builtinType = (name: string): TypeName => ({ schema: 'pg_catalog', name })

export const call = (name: BuiltinFunction, ...values: readonly Expression[]): FunctionCall => ({
  kind: 'call',
  function: name,
  arguments: values.map((value) => ({ value })),
})

/** A call of a function that is not built into Postgres. */
export const callOf = (name: QualifiedName, values: readonly Expression[]): FunctionCall => ({
  kind: 'call',
  function: name,
  arguments: values.map((value) => ({ value })),
})

export const countRows: Expression = {
  kind: 'call',
  function: 'count',
  arguments: [{ value: { kind: 'star' } }],
}

export const subquery = (select: Select): Expression => ({ kind: 'subquery', select })

export const exists = (select: Select): Expression => ({ kind: 'exists', select })

export const not = (operand: Expression): Expression =>
  operand.kind === 'boolean' ? boolean(!operand.value) : { kind: 'not', operand }

/** A conjunction without its trivial parts; an empty one is true. */
export function and(operands: readonly Expression[]): Expression {
  const parts = operands.filter((operand) => !(operand.kind === 'boolean' && operand.value))
  if (parts.some((part) => part.kind === 'boolean')) return boolean(false)
  const [first] = parts
  if (first === undefined) return boolean(true)
  return parts.length === 1 ? first : { kind: 'and', operands: parts }
}

/** A disjunction without its trivial parts; an empty one is false. */
export function or(operands: readonly Expression[]): Expression {
  const parts = operands.filter((operand) => !(operand.kind === 'boolean' && !operand.value))
  if (parts.some((part) => part.kind === 'boolean')) return boolean(true)
  const [first] = parts
  if (first === undefined) return boolean(false)
  return parts.length === 1 ? first : { kind: 'or', operands: parts }
}

const isTrue = (expression: Expression): boolean => expression.kind === 'boolean' && expression.value

export const select = (
  projections: readonly Projection[],
  clauses: Omit<Select, 'kind' | 'projections'> = {},
): Select => ({ kind: 'select', projections, ...clauses })

/** A `where` clause; empty for a condition that is always true. */
export const where = (condition: Expression): Pick<Select, 'where'> =>
  isTrue(condition) ? {} : { where: condition }
