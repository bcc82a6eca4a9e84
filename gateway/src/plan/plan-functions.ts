import { getNamedType, isObjectType } from 'graphql'
import { columnName } from '@commerce-graph/contract'
import type { VariableReference } from '../projection/condition.ts'
import type { FunctionPart, RootProjection } from '../projection/types.ts'
import {
  type Complete,
  listShape,
  refuse,
  type Row,
  rowShape,
  type ShapeContext,
  take,
  newRow,
} from '../shape/shape.ts'
import type { SelectedField } from './field-access.ts'
import { collectFields, type FieldGroup, selectionSetsOf } from './collect-fields.ts'
import type { HasuraField } from './hasura-document.ts'
import { listBound, planLimit, planRow } from './plan-row.ts'
import { plan, type RowPlan } from './row-plan.ts'
import { pageColumns, planSharedPage, readPage, shapePageInfo, type SharedPage } from './shared-page.ts'
import { planSummedRows, type SumOf, type SummedRows } from './summed-rows.ts'
import type { FieldArguments, PlanScope } from './plan-scope.ts'

type FunctionProjection = Extract<RootProjection, { kind: 'function' }>
type FunctionsProjection = Extract<RootProjection, { kind: 'functions' }>

/** Plans a list that a function of the database makes of the field's arguments. */
export function planFunction(
  scope: PlanScope,
  projection: FunctionProjection,
  field: SelectedField,
): RowPlan {
  const { function: name, orderBy, limit } = projection
  const args = scope.arguments(field.definition, field.group)
  const passed = passArguments(scope, projection, args)
  const row = planRow(scope, projection.projection, selectionSetsOf(field.group))
  const bound =
    typeof limit === 'number'
      ? listBound(undefined, limit)
      : listBound(planLimit(scope, limit, args), limit.preset)
  const asked = {
    alias: field.key,
    name,
    args: { args: passed, orderBy, limit: bound.limit },
    selection: row.fields,
  }
  return plan(field, [asked], {
    extract: (raw, _row, context) => bound.rows(raw, context),
    complete: listShape(rowShape(row.shapes)),
  })
}

/** Binds the arguments that are given to variables for the function. */
function passArguments(
  scope: PlanScope,
  { args: declared, check }: Pick<FunctionProjection, 'args' | 'check'>,
  args: FieldArguments,
): Readonly<Record<string, VariableReference>> {
  scope.binders.push((request, { errors }) => errors.push(...check(args.in(request))))
  const passed: Record<string, VariableReference> = {}
  for (const [
    name,
    { type, toVariable, read = (values: FieldArguments['now']) => values[name] },
  ] of Object.entries(declared)) {
    if (read(args.now) == null) continue
    const variable = scope.variable(type)
    passed[columnName(name)] = variable
    scope.binders.push((request, { variables }) => {
      const value = read(args.in(request))
      variables[variable.name] = toVariable ? toVariable(value) : value
    })
  }
  return passed
}

/** A field of an object that functions make: what to ask for, and where it is in the answer. */
interface PartPlan {
  readonly key: string
  readonly field: HasuraField | undefined
  readonly read: (answer: Row, context: ShapeContext) => unknown
}

/** Plans an object whose fields are made by functions. Only those are called whose fields are selected. */
export function planFunctions(
  scope: PlanScope,
  projection: FunctionsProjection,
  field: SelectedField,
): RowPlan {
  const type = getNamedType(field.definition.type)
  if (!isObjectType(type)) throw new Error(`${type.name} is no object type of the contract`)
  const args = scope.arguments(field.definition, field.group)
  const passed = passArguments(scope, projection, args)
  const page = planSharedPage(scope, projection.limit, args)
  const selected = [...collectFields(scope, type, selectionSetsOf(field.group))]
  const partOf = (group: FieldGroup): FunctionPart | undefined => projection.parts[group[0].name.value]
  const sums = sumsOf(selected.map(([, group]) => partOf(group)))
  const summed = new Map<string, SummedRows>()
  const planField = ([key, group]: (typeof selected)[number]): PartPlan => {
    const name = group[0].name.value
    if (name === '__typename') return { key, field: undefined, read: () => type.name }
    const part = partOf(group)
    const definition = type.getFields()[name]
    if (!part || !definition) throw new Error(`${type.name}.${name} has no projection`)
    return scope.below(key, () => {
      const refusal = scope.refusalOf({ key, type: type.name, definition, group })
      return refusal
        ? { key, field: undefined, read: (_answer, context) => refuse(refusal, context) }
        : planPart(scope, part, { key, group, passed, page, parts: projection.parts, sums, summed })
    })
  }
  // A number comes after the lists that it may be summed over.
  const isNumber = ([, group]: (typeof selected)[number]): boolean => partOf(group)?.kind === 'value'
  const inOrder = selected.toSorted((one, other) => Number(isNumber(one)) - Number(isNumber(other)))
  const planned = new Map(inOrder.map((each) => [each[0], planField(each)]))
  const parts = selected.flatMap(([key]) => planned.get(key) ?? [])
  // Something is asked for under the field's own key, so that it has its place in the answer.
  const placeholder = { alias: field.key, name: '__typename' }
  return plan(field, [placeholder, ...parts.flatMap((part) => part.field ?? [])], {
    extract: (_raw, answer, context) => {
      const object = newRow()
      for (const rows of summed.values()) rows.settle(answer)
      for (const { key, read } of parts) {
        context.path.push(key)
        object[key] = read(answer, context)
        context.path.pop()
      }
      take(answer, page.alias)
      for (const rows of summed.values()) rows.forget(answer)
      return object
    },
  })
}

/** The sums of the numbers, by the list that has them as well. */
const sumsOf = (parts: readonly (FunctionPart | undefined)[]): ReadonlyMap<string, SumOf> =>
  new Map(parts.flatMap((part) => (part?.kind === 'value' ? [[part.sumOf.list, part.sumOf]] : [])))

interface Asked {
  readonly key: string
  readonly group: FieldGroup
  readonly passed: Readonly<Record<string, VariableReference>>
  readonly page: SharedPage
  readonly parts: FunctionsProjection['parts']
  /** The sums that are asked for, by the list. */
  readonly sums: ReadonlyMap<string, SumOf>
  /** The lists that have their sums; a list that is planned adds itself. */
  readonly summed: Map<string, SummedRows>
}

function planPart(scope: PlanScope, part: FunctionPart, asked: Asked): PartPlan {
  const { key, group, passed, page, parts, sums, summed } = asked
  const alias = scope.hiddenKey()
  switch (part.kind) {
    case 'value': {
      const rows = summed.get(part.sumOf.list)
      if (rows !== undefined) return { key, field: undefined, read: rows.sumIn }
      return {
        key,
        field: { alias, name: part.function, args: { args: passed }, selection: [column(part.column)] },
        read: (answer) => onlyRow(take(answer, alias))[part.column] ?? 0,
      }
    }
    case 'pageInfo': {
      const results = parts[part.of]
      if (results?.kind !== 'union') throw new Error(`${part.of} has no page`)
      return {
        key,
        field: {
          alias: page.alias,
          name: results.function,
          args: { args: passed, orderBy: results.orderBy },
          selection: pageColumns.map(column),
        },
        read: (answer, context) =>
          shapePageInfo(
            scope,
            group,
            readPage(page, part.list, answer[page.alias] as readonly Row[], context),
          ),
      }
    }
    case 'list': {
      const row = planRow(scope, part.projection, selectionSetsOf(group))
      const complete = listShape(rowShape(row.shapes))
      const { orderBy } = part
      const list = group[0].name.value
      const sum = summed.has(list) ? undefined : sums.get(list)
      const rows = sum && planSummedRows(scope, sum, alias)
      if (rows) summed.set(list, rows)
      const selection = [...row.fields, ...(rows?.selection ?? [])]
      return {
        key,
        field: { alias, name: part.function, args: { args: passed, orderBy }, selection },
        read: (answer, context) => completed(complete, take(answer, alias), context),
      }
    }
    case 'union':
      return planUnion(scope, part, asked)
    default:
      return part satisfies never
  }
}

function planUnion(
  scope: PlanScope,
  part: Extract<FunctionPart, { kind: 'union' }>,
  { key, group, passed, page }: Asked,
): PartPlan {
  const alias = page.isListed ? scope.hiddenKey() : page.alias
  page.isListed = true
  const { orderBy } = part
  const members = Object.entries(part.members).map(([relationship, projection]) => {
    const row = planRow(scope, projection, selectionSetsOf(group))
    const field: HasuraField = { alias: relationship, name: relationship, selection: row.fields }
    return { relationship, field, complete: rowShape(row.shapes) }
  })
  const rowsOf = (answer: Row) =>
    (alias === page.alias ? answer[alias] : take(answer, alias)) as readonly Row[]
  return {
    key,
    field: {
      alias,
      name: part.function,
      args: { args: passed, orderBy },
      selection: members.map(({ field }) => field),
    },
    read: (answer, context) =>
      rowsOf(answer)
        .slice(0, context.pageSizes[page.size])
        .flatMap((row) => {
          const member = members.find(({ relationship }) => row[relationship] != null)
          // A record that the caller may not see is omitted.
          return member ? [completed(member.complete, row[member.relationship], context)] : []
        }),
  }
}

const completed = (complete: Complete<unknown> | undefined, value: unknown, context: ShapeContext): unknown =>
  complete ? complete(value, context) : value

const column = (name: string): HasuraField => ({ alias: name, name })

const onlyRow = (rows: unknown): Row => (rows as readonly Row[])[0] ?? newRow()
