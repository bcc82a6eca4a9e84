import {
  getNamedType,
  type GraphQLField,
  type GraphQLObjectType,
  isObjectType,
  type OperationDefinitionNode,
} from 'graphql'
import type { FieldRule } from '@commerce-graph/contract'
import type { CatalogueError } from '@commerce-graph/contract/errors'
import type { UserError } from '@commerce-graph/contract/input'
import type { FormatFaults } from './format-faults.ts'
import { bind, type Bound, type Request } from '../plan/binding.ts'
import { collectFields, type FieldGroup, selectionSetsOf } from '../plan/collect-fields.ts'
import {
  type HasuraField,
  type HasuraVariable,
  printSelection,
  usedVariables,
} from '../plan/hasura-document.ts'
import type { SelectedField } from '../plan/field-access.ts'
import { planFields, planRow, projectionNamed } from '../plan/plan-row.ts'
import { embed } from '../plan/embed.ts'
import type { RowPlan } from '../plan/row-plan.ts'
import { PlanScope, type PlanScopeOptions } from '../plan/plan-scope.ts'
import { type Row, rowShape, type ShapeContext } from '../shape/shape.ts'
import type { Arguments, MutationDefinition } from './definition.ts'
import { mutationNamed } from './mutations.ts'
import { type Select, selectAll, selectValue } from './select-value.ts'

/** A field of Mutation as a request asks for it. Each becomes a Hasura operation of its own (docs/decisions/0004). */
export interface PlannedMutation {
  /** The response key. */
  readonly key: string
  /** Null for `__typename`, which the answer only echoes. */
  readonly call: PlannedCall | null
}

export interface PlannedCall {
  readonly definition: MutationDefinition
  readonly field: GraphQLField<unknown, unknown>
  /** The fields of the document that the caller may not have. With any of them, no mutation of the document runs. */
  readonly refusals: readonly CatalogueError[]
  readonly args: Arguments
  /** The rules for the arguments. */
  readonly rules: readonly FieldRule[]
  /** Texts in the arguments that are not of the form that their places want: then it is not run. */
  readonly faults: readonly UserError[]
  readonly bound: Bound
  readonly scope: PlanScope
  /** The variables of the scope that the selections use. */
  readonly variables: readonly HasuraVariable[]
  readonly payload: readonly PayloadField[]
  /** The selection of the record for Hasura; null if the client selects nothing of it. */
  readonly recordSelection: string | null
  /** The selection of an action's result beside the record. */
  readonly resultSelection: readonly string[]
}

export type PayloadField =
  | { readonly kind: 'typename'; readonly key: string; readonly type: string }
  | { readonly kind: 'success'; readonly key: string }
  | { readonly kind: 'errors'; readonly key: string; readonly select: Select }
  | { readonly kind: 'result'; readonly key: string; readonly name: string; readonly select: Select }
  /** The record itself, or fields of it that stand in the payload as if they were its own. */
  | {
      readonly kind: 'record'
      readonly key: string
      readonly read: (row: Row, context: ShapeContext) => unknown
    }

/** More would only repeat itself. */
const maxRefusals = 20

/** Plans the fields of a validated mutation in the order of the document, which is the order they run in. */
export function planMutation(
  operation: OperationDefinitionNode,
  options: PlanScopeOptions & { readonly faults?: FormatFaults | undefined },
  request: Request,
): readonly PlannedMutation[] {
  const root = options.contract.schema.getMutationType()
  if (!root) throw new Error('the contract has no Mutation')
  const fields = collectFields({ ...options, schema: options.contract.schema }, root, [
    operation.selectionSet,
  ])
  return [...fields].map(([key, group]) => {
    const field = root.getFields()[group[0].name.value]
    if (!field) return { key, call: null }
    const call = planCall({ key, type: root.name, definition: field, group }, options, request)
    return { key, call: { ...call, faults: options.faults?.get(key) ?? [] } }
  })
}

function planCall(
  selected: SelectedField,
  options: PlanScopeOptions,
  request: Request,
): Omit<PlannedCall, 'faults'> {
  const { key, definition: field, group } = selected
  const definition = mutationNamed(field.name, options.contract)
  const payloadType = getNamedType(field.type)
  if (!definition || !isObjectType(payloadType)) throw new Error(`Mutation.${field.name} is not declared`)
  const scope = new PlanScope(options)
  const args = scope.arguments(field, group).in(request)
  const { refused, planned } = scope.below(key, () => ({
    refused: scope.refusalOfRoot(selected),
    planned: planPayload(scope, definition, payloadType, group),
  }))
  const variables = usedVariables(
    [...planned.resultSelection, planned.recordSelection ?? ''].join(' '),
    scope.hasuraVariables,
  )
  return {
    definition,
    field,
    args,
    rules: options.contract.inputRules.get(field.name) ?? [],
    scope,
    // Of a mutation that is refused as such, what is selected doesn't matter.
    refusals: refused ? [refused] : scope.refusals.slice(0, maxRefusals).map(({ error }) => error),
    bound: bind({ binders: scope.binders, variables: new Set(variables.map(({ name }) => name)) }, request),
    variables,
    ...planned,
  }
}

/** The projection of a mutation's record, for either kind of mutation. */
const recordProjection = ({ record }: MutationDefinition): string | null =>
  typeof record === 'string' || record === null ? record : record.type

function planPayload(
  scope: PlanScope,
  definition: MutationDefinition,
  type: GraphQLObjectType,
  group: FieldGroup,
): Pick<PlannedCall, 'payload' | 'recordSelection' | 'resultSelection'> {
  const fromRecord: HasuraField[] = []
  const fromResult = new Set<string>(alwaysSelected(definition, type))
  const payload = [...collectFields(scope, type, selectionSetsOf(group))].map(
    ([key, nodes]): PayloadField => {
      const name = nodes[0].name.value
      const field = type.getFields()[name]
      if (!field) return { kind: 'typename', key, type: type.name }
      const source = payloadSource(scope, definition, field)
      switch (source.kind) {
        case 'success':
          return { kind: 'success', key }
        case 'errors':
          return { kind: 'errors', key, select: selectValue(scope, field.type, selectionSetsOf(nodes)) }
        case 'result':
          fromResult.add(selectAll(name, field.type))
          return { kind: 'result', key, name, select: selectValue(scope, field.type, selectionSetsOf(nodes)) }
        case 'record': {
          const row = scope.below(key, () => {
            scope.refusalOf({ key, type: type.name, definition: field, group: nodes })
            return planRow(scope, source.projection, selectionSetsOf(nodes))
          })
          return {
            kind: 'record',
            key,
            read: under(
              key,
              embedInto(scope, fromRecord, row, (whole) => whole),
            ),
          }
        }
        case 'recordField': {
          const rule = scope.contract.permissions.ofType(projectionNamed(scope, source.projection).type)
          scope.below(key, () => scope.refuse(rule ? [{ rule, of: `${type.name}.${name}` }] : [], true))
          const row = planFields(scope, source.projection, [{ key, name: source.field, group: nodes }])
          return { kind: 'record', key, read: embedInto(scope, fromRecord, row, (part) => part[key] ?? null) }
        }
      }
    },
  )
  return {
    payload,
    recordSelection: fromRecord.length > 0 ? printSelection(fromRecord) : null,
    resultSelection: [...fromResult],
  }
}

type PayloadSource =
  | { readonly kind: 'success' | 'errors' | 'result' }
  | { readonly kind: 'record'; readonly projection: string }
  | { readonly kind: 'recordField'; readonly projection: string; readonly field: string }

/** Where a payload's field comes from. Throws for one that comes from nowhere, which is a bug of ours. */
export function payloadSource(
  { contract, projections }: Pick<PlanScope, 'contract' | 'projections'>,
  definition: MutationDefinition,
  { name, type }: GraphQLField<unknown, unknown>,
): PayloadSource {
  if (name === 'errors') return { kind: 'errors' }
  if (name === 'success') return { kind: 'success' }
  if (definition.kind === 'action' && definition.fromResult.includes(name)) return { kind: 'result' }
  const projection = recordProjection(definition)
  const recordType = projection === null ? undefined : projections.types.get(projection)?.type
  if (projection === null || recordType === undefined)
    throw new Error(`the payload's ${name} comes from nowhere`)
  if (getNamedType(type).name === recordType) return { kind: 'record', projection }
  const field = (definition.kind === 'action' ? definition.fromRecord[name] : undefined) ?? name
  const record = contract.schema.getType(recordType)
  if (!isObjectType(record) || !record.getFields()[field])
    throw new Error(`${recordType} has no field ${field}`)
  return { kind: 'recordField', projection, field }
}

type Read = (row: Row, context: ShapeContext) => unknown

/** An error inside of a record gets the record's own key as the first part of its path. */
const under =
  (key: string, read: Read): Read =>
  (row, context) => {
    context.path.push(key)
    const value = read(row, context)
    context.path.pop()
    return value
  }

/** Several parts of a payload read the same row, so each takes its own keys out of it. */
function embedInto(scope: PlanScope, into: HasuraField[], plan: RowPlan, pick: (part: Row) => unknown): Read {
  const { fields, extract } = embed(scope, plan.fields)
  const complete = rowShape(plan.shapes)
  into.push(...fields)
  return (row, context) => {
    const part = extract(row)
    const completed = complete ? complete(part, context) : part
    return completed === null ? null : pick(completed as Row)
  }
}

/** The fields of an action's result that the gateway itself reads, selected or not. */
function alwaysSelected(definition: MutationDefinition, type: GraphQLObjectType): readonly string[] {
  if (definition.kind !== 'action') return []
  const error = type.getFields()['error']
  return ['errors { field message code }', 'replayed', ...(error ? [selectAll('error', error.type)] : [])]
}
