import type { AggregatePredicateName } from '../schema/aggregate-predicate.ts'
import type { CallArgument, ComputedCall, Operand, Predicate, Value } from '../schema/predicate.ts'
import type { ColumnPair } from '../schema/source-model.ts'
import type { Expression, FunctionCall, TypeName } from './ast.ts'
import {
  and,
  binary,
  boolean,
  call,
  callOf,
  cast,
  column,
  countRows,
  exists,
  integer,
  not,
  or,
  select,
  subquery,
  text,
  where,
} from './build.ts'
import { withoutHeld } from './held-conditions.ts'
import { compared, operatorSchema, spatialValue } from './spatial-expression.ts'
import type { Translation } from './translation.ts'

/** The rows that a condition uses, by their aliases. */
export interface RowScope {
  readonly current: string
  /** The row that the expression is about: the permission's, or the client's. */
  readonly root: string
  /** The aggregate, in a condition on an aggregate. */
  readonly aggregate?: Expression
}

export const rowScope = (alias: string): RowScope => ({ current: alias, root: alias })

/** A condition of the plan as SQL. */
export function predicateExpression(
  predicate: Predicate,
  scope: RowScope,
  translation: Translation,
): Expression {
  switch (predicate.kind) {
    case 'constant':
      return boolean(predicate.value)
    case 'and':
      return and(predicate.operands.map((operand) => predicateExpression(operand, scope, translation)))
    case 'or':
      return or(predicate.operands.map((operand) => predicateExpression(operand, scope, translation)))
    case 'not':
      return not(predicateExpression(predicate.operand, scope, translation))
    case 'permission':
      return predicateExpression(predicate.predicate, rowScope(scope.current), translation)
    case 'compare':
      return compared(
        operandExpression(predicate.left, scope, translation),
        predicate.operator,
        valueExpression(predicate.right, scope),
        valueType(predicate.right),
      )
    case 'compare-list':
      return {
        kind: 'quantified',
        operator: predicate.operator,
        schema: operatorSchema(valueType(predicate.list)),
        quantifier: predicate.quantifier,
        left: operandExpression(predicate.left, scope, translation),
        array: valueExpression(predicate.list, scope),
      }
    case 'spatial':
      return callOf(predicate.function, [
        operandExpression(predicate.left, scope, translation),
        ...predicate.others.map((value) => valueExpression(value, scope)),
      ])
    case 'is-null':
      return {
        kind: 'is-null',
        operand: operandExpression(predicate.operand, scope, translation),
        negated: predicate.negated,
      }
    default:
      return rowsExpression(predicate, scope, translation)
  }
}

/** The filter of a set of rows as SQL. */
export const filterExpression = (filter: Predicate, alias: string, translation: Translation): Expression =>
  predicateExpression(withoutHeld(filter, translation.held), rowScope(alias), translation)

/** Conditions on rows of other tables. */
function rowsExpression(
  predicate: Extract<Predicate, { kind: 'related' | 'exists' | 'computed-rows' | 'related-aggregate' }>,
  scope: RowScope,
  translation: Translation,
): Expression {
  const alias = translation.aliases.next()
  const inner: RowScope = { current: alias, root: scope.root }
  switch (predicate.kind) {
    case 'related': {
      const condition = predicateExpression(predicate.predicate, inner, translation)
      return exists(
        select([{ value: integer(1) }], {
          from: { kind: 'table', name: predicate.table, alias },
          ...where(and([...joinConditions(predicate.relationship.mapping, scope.current, alias), condition])),
        }),
      )
    }
    case 'exists':
      return exists(
        select([{ value: integer(1) }], {
          from: { kind: 'table', name: predicate.table, alias },
          ...where(predicateExpression(predicate.predicate, inner, translation)),
        }),
      )
    case 'computed-rows':
      return exists(
        select([{ value: integer(1) }], {
          from: { kind: 'function', call: callExpression(predicate.call, scope), alias },
          ...where(predicateExpression(predicate.predicate, inner, translation)),
        }),
      )
    case 'related-aggregate': {
      const { function: name, columns, distinct } = predicate.aggregate
      const filter = predicateExpression(predicate.filter, inner, translation)
      const aggregate = subquery(
        select([{ value: aggregateCall(name, columns, distinct, alias, translation) }], {
          from: { kind: 'table', name: predicate.table, alias },
          ...where(and([...joinConditions(predicate.relationship.mapping, scope.current, alias), filter])),
        }),
      )
      return predicateExpression(predicate.having, { ...scope, aggregate }, translation)
    }
    default:
      return predicate satisfies never
  }
}

/** `count(*)`, `count("a")`, `count(DISTINCT ("a", "b"))`, `bool_and("a")`, `corr("a", "b")`. */
export function aggregateCall(
  name: AggregatePredicateName,
  columns: readonly Operand[],
  distinct: boolean,
  alias: string,
  translation: Translation,
): Expression {
  const [first, ...others] = columns.map((item) => operandExpression(item, rowScope(alias), translation))
  if (first === undefined) return countRows
  // `count` takes several columns as one row value; other aggregates take them as separate arguments.
  const values: readonly Expression[] =
    name === 'count' && others.length > 0
      ? [{ kind: 'tuple', items: [first, ...others] }]
      : [first, ...others]
  return { ...call(name, ...values), distinct }
}

/** Pairs of columns of a parent row and its related rows that must be equal. */
export const joinConditions = (
  mapping: readonly ColumnPair[],
  parent: string,
  child: string,
): readonly Expression[] =>
  mapping.map(({ local, remote }) => binary(column(child, remote), '=', column(parent, local)))

export function operandExpression(operand: Operand, scope: RowScope, translation: Translation): Expression {
  switch (operand.kind) {
    case 'column':
      return column(scope.current, operand.name)
    case 'computed':
      return callExpression(operand.call, scope)
    case 'cast':
      return cast(operandExpression(operand.operand, scope, translation), operand.type)
    case 'masked':
      return {
        kind: 'case',
        condition: predicateExpression(operand.when, scope, translation),
        then: operandExpression(operand.operand, scope, translation),
        otherwise: { kind: 'null' },
      }
    case 'aggregate':
      if (scope.aggregate === undefined) throw new Error('There is no aggregate here')
      return scope.aggregate
    default:
      return operand satisfies never
  }
}

export const callExpression = (
  { function: name, arguments: given }: ComputedCall,
  scope: RowScope,
): FunctionCall => ({
  kind: 'call',
  function: name,
  arguments: given.map((argument) => ({
    ...(argument.name === undefined ? {} : { name: argument.name }),
    value: argumentExpression(argument.value, scope),
  })),
})

const argumentExpression = (value: CallArgument['value'], scope: RowScope): Expression =>
  value.kind === 'current-row' ? { kind: 'row', relation: scope.current } : valueExpression(value, scope)

export function valueExpression(value: Value, scope: RowScope): Expression {
  switch (value.kind) {
    case 'parameter':
      return parameterExpression(value)
    case 'constant': {
      const { text: literal } = value
      return literal === null
        ? cast({ kind: 'null' }, value.type)
        : spatialValue(value.type, (type) => cast(text(literal), type))
    }
    case 'array':
      return {
        kind: 'array',
        items: value.items.map((item) => valueExpression(item, scope)),
        type: value.type,
      }
    case 'column':
      return column(value.scope === 'root' ? scope.root : scope.current, value.name)
    default:
      return value satisfies never
  }
}

/** A value's type; unknown for a column. */
const valueType = (value: Value): TypeName | undefined => (value.kind === 'column' ? undefined : value.type)

function parameterExpression({ source, type }: Extract<Value, { kind: 'parameter' }>): Expression {
  const parameter = (as: TypeName): Expression => ({ kind: 'parameter', source, type: as })
  // A value that an earlier step wrote is in the database's own notation already.
  return source.kind === 'written-column' ? parameter(type) : spatialValue(type, parameter)
}
