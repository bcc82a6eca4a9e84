import type { CatalogType } from '../catalog/types.ts'
import { type AggregatePredicate, aggregatePredicates } from '../schema/aggregate-predicate.ts'
import {
  type BinaryComparison,
  asMeant,
  castTarget,
  comparisonOperators,
} from '../schema/comparison-operator.ts'
import { callArguments } from '../schema/computed-call.ts'
import { typeNameOf } from '../schema/permission-expression.ts'
import { type Operand, type Predicate, type Value, allOf, always } from '../schema/predicate.ts'
import type {
  ColumnModel,
  ComputedFieldModel,
  RelationshipModel,
  TableModel,
} from '../schema/source-model.ts'
import type { SpatialInput } from '../schema/spatial-operator.ts'
import type { InputValue, ObjectValue } from './input-value.ts'
import { arrayValue, enumValues, flag, itemsOf, member, objectOf, valueOf } from './plan-value.ts'
import { readableColumn, readableComputedField } from './readable.ts'
import { RequestError } from './request-error.ts'
import { type PlanScope, relatedTable, visibleRows } from './plan-scope.ts'

/** Plans a `where` argument. Of related rows, only those count that the role may see. */
export function planFilter(input: InputValue | undefined, table: TableModel, scope: PlanScope): Predicate {
  if (input === undefined || input.kind === 'null') return always
  const { fields } = objectOf(input)
  return allOf([...fields].map(([name, value]) => condition(name, value, table, scope)))
}

function condition(name: string, input: InputValue, table: TableModel, scope: PlanScope): Predicate {
  switch (name) {
    case '_and':
      return { kind: 'and', operands: itemsOf(input).map((item) => planFilter(item, table, scope)) }
    case '_or':
      return { kind: 'or', operands: itemsOf(input).map((item) => planFilter(item, table, scope)) }
    case '_not':
      return { kind: 'not', operand: planFilter(input, table, scope) }
    default:
      return fieldCondition(name, input, table, scope)
  }
}

function fieldCondition(name: string, input: InputValue, table: TableModel, scope: PlanScope): Predicate {
  const column = table.columns.get(name)
  if (column !== undefined)
    return comparisons(readableColumn(column, table, scope), column.type, objectOf(input))
  const relationship = table.relationships.get(name)
  if (relationship !== undefined) return relatedCondition(relationship, input, scope)
  const computed = table.computedFields.get(name)
  if (computed !== undefined) return computedCondition(computed, input, table, scope)
  const aggregated = table.relationships.get(name.replace(/_aggregate$/, ''))
  if (aggregated === undefined) throw new Error(`${table.typeName}_bool_exp has no field ${name}`)
  return aggregateCondition(aggregated, objectOf(input), scope)
}

function relatedCondition(relationship: RelationshipModel, input: InputValue, scope: PlanScope): Predicate {
  const target = relatedTable(scope, relationship.target)
  const predicate = allOf([visibleRows(scope, target), planFilter(input, target, scope)])
  return { kind: 'related', relationship, table: target.name, predicate }
}

function computedCondition(
  computed: ComputedFieldModel,
  input: InputValue,
  table: TableModel,
  scope: PlanScope,
): Predicate {
  const call = { function: computed.function.name, arguments: callArguments(computed, new Map()) }
  if (computed.returns.kind === 'scalar')
    return comparisons(
      readableComputedField(computed, call, table, scope),
      computed.returns.type,
      objectOf(input),
    )
  const target = relatedTable(scope, computed.returns.table)
  const predicate = allOf([visibleRows(scope, target), planFilter(input, target, scope)])
  return { kind: 'computed-rows', call, predicate }
}

function aggregateCondition(
  relationship: RelationshipModel,
  input: ObjectValue,
  scope: PlanScope,
): Predicate {
  const target = relatedTable(scope, relationship.target)
  const [first, ...others] = input.fields
  if (first === undefined || others.length > 0)
    throw new RequestError('exactly one predicate should be specified', input.path)
  const [name, value] = first
  const found = aggregatePredicates.find((candidate) => candidate.name === name)
  if (found === undefined) throw new Error(`${target.typeName} has no aggregate predicate ${name}`)
  const options = objectOf(value)
  return {
    kind: 'related-aggregate',
    relationship,
    table: target.name,
    filter: allOf([visibleRows(scope, target), planFilter(member(options, 'filter'), target, scope)]),
    aggregate: {
      function: found.name,
      columns: readableColumns(argumentNames(found, options.fields.get('arguments')), target, scope),
      distinct: flag(options.fields.get('distinct')),
    },
    having: comparisons(
      aggregateOperand,
      found.returns,
      objectOf(options.fields.get('predicate') ?? options),
    ),
  }
}

/** The columns of an aggregate, in the order of Postgres's arguments. */
function argumentNames({ takes }: AggregatePredicate, given: InputValue | undefined): readonly string[] {
  if (given?.kind === 'enum') return [given.value]
  if (given?.kind !== 'object' || takes === 'columns') return enumValues(given)
  return (takes.arguments ?? []).flatMap((name) => {
    const value = given.fields.get(name)
    return value?.kind === 'enum' ? [value.value] : []
  })
}

/** The aggregate itself, in a condition on it. */
const aggregateOperand: Operand = { kind: 'aggregate' }

/** The columns of these GraphQL names, as the role may read them. */
export const readableColumns = (
  names: readonly string[],
  table: TableModel,
  scope: PlanScope,
): readonly Operand[] => names.map((name) => readableColumn(columnNamed(name, table), table, scope))

export function columnNamed(name: string, table: TableModel): ColumnModel {
  const column = table.columns.get(name)
  if (column === undefined) throw new Error(`${table.typeName} has no column ${name}`)
  return column
}

const comparisons = (left: Operand, type: CatalogType, input: ObjectValue): Predicate =>
  allOf([...input.fields].map(([name, value]) => comparison(left, type, name, value)))

function comparison(left: Operand, type: CatalogType, name: string, value: InputValue): Predicate {
  if (name === '_is_null') return { kind: 'is-null', operand: left, negated: !flag(value) }
  const target = castTarget(type)
  if (name === '_cast' && target !== undefined) {
    const inner = member(objectOf(value), target.graphqlName)
    const operand: Operand = { kind: 'cast', operand: left, type: typeNameOf(target.type) }
    return inner === undefined ? always : comparisons(operand, target.type, objectOf(inner))
  }
  const operator = comparisonOperators(type).find((candidate) => candidate.name === name)
  if (operator === undefined) throw new Error(`${type.name} has no operator ${name}`)
  return operator.kind === 'function'
    ? { kind: 'spatial', function: operator.function, left, others: spatialArguments(operator.input, value) }
    : asMeant(operator, binaryComparison(left, type, operator, value))
}

/** The function's arguments after the column, in their order. */
function spatialArguments(input: SpatialInput, value: InputValue): readonly Value[] {
  if (input.kind === 'value') return [valueOf(value, catalogType(input.type))]
  const { fields } = objectOf(value)
  return input.fields.map(({ name, type }): Value => {
    const given = fields.get(name)
    return given === undefined ? { kind: 'constant', text: null, type } : valueOf(given, catalogType(type))
  })
}

function binaryComparison(
  left: Operand,
  type: CatalogType,
  { operand, sql }: BinaryComparison,
  value: InputValue,
): Predicate {
  switch (operand.kind) {
    case 'same':
      return { kind: 'compare', left, operator: sql, right: valueOf(value, type) }
    case 'other':
      return { kind: 'compare', left, operator: sql, right: valueOf(value, catalogType(operand.type)) }
    case 'each':
      return {
        kind: 'compare-list',
        left,
        operator: sql,
        quantifier: operand.quantifier,
        list: arrayValue(value, type),
      }
    case 'array': {
      const list = arrayValue(value, catalogType({ ...operand.type, name: operand.type.name.slice(1) }))
      return operand.quantified
        ? { kind: 'compare-list', left, operator: sql, quantifier: 'ANY', list }
        : { kind: 'compare', left, operator: sql, right: list }
    }
    default:
      return operand satisfies never
  }
}

const catalogType = ({ schema, name }: { readonly schema: string; readonly name: string }): CatalogType => ({
  category: 'base',
  schema,
  name,
})
