import { getNamedType, isObjectType } from 'graphql'
import { encodeCursor } from '../cursor/cursor.ts'
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

/** The page of the object's results, which the list and its page info share: Postgres finds it once. */
interface SharedPage {
  /** Which of the context's page sizes is this one's, and which the number of results before it. */
  readonly size: number
  readonly offset: number
  readonly hasCursor: boolean
  /** Where the rows are in Hasura's answer. */
  readonly alias: string
  /** Whether a list reads the rows under this alias. Another one, under another key, selects other things. */
  isListed: boolean
}

function planSharedPage(
  scope: PlanScope,
  { argument, preset }: FunctionsProjection['limit'],
  args: FieldArguments,
): SharedPage {
  const [size, offset] = [scope.page(), scope.page()]
  scope.binders.push((request, { pageSizes }) => {
    const given = args.in(request)
    pageSizes[size] = Number(given[argument] ?? preset)
    pageSizes[offset] = Number(given['offset'] ?? 0)
  })
  return { size, offset, hasCursor: args.now['after'] != null, alias: scope.hiddenKey(), isListed: false }
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
  const parts = [...collectFields(scope, type, selectionSetsOf(field.group))].map(
    ([key, group]): PartPlan => {
      const name = group[0].name.value
      if (name === '__typename') return { key, field: undefined, read: () => type.name }
      const part = projection.parts[name]
      const definition = type.getFields()[name]
      if (!part || !definition) throw new Error(`${type.name}.${name} has no projection`)
      return scope.below(key, () => {
        const refusal = scope.refusalOf({ key, type: type.name, definition, group })
        return refusal
          ? { key, field: undefined, read: (_answer, context) => refuse(refusal, context) }
          : planPart(scope, part, { key, group, passed, page, parts: projection.parts })
      })
    },
  )
  // Something is asked for under the field's own key, so that it has its place in the answer.
  const placeholder = { alias: field.key, name: '__typename' }
  return plan(field, [placeholder, ...parts.flatMap((part) => part.field ?? [])], {
    extract: (_raw, answer, context) => {
      const object = newRow()
      for (const { key, read } of parts) {
        context.path.push(key)
        object[key] = read(answer, context)
        context.path.pop()
      }
      take(answer, page.alias)
      return object
    },
  })
}

interface Asked {
  readonly key: string
  readonly group: FieldGroup
  readonly passed: Readonly<Record<string, VariableReference>>
  readonly page: SharedPage
  readonly parts: FunctionsProjection['parts']
}

function planPart(scope: PlanScope, part: FunctionPart, asked: Asked): PartPlan {
  const { key, group, passed, page, parts } = asked
  const alias = scope.hiddenKey()
  switch (part.kind) {
    case 'value':
      return {
        key,
        field: { alias, name: part.function, args: { args: passed }, selection: [column(part.column)] },
        read: (answer) => onlyRow(take(answer, alias))[part.column] ?? part.empty,
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
      return {
        key,
        field: { alias, name: part.function, args: { args: passed, orderBy }, selection: row.fields },
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

const pageColumns = ['id', 'sort_by', 'sort_value'] as const

const onlyRow = (rows: unknown): Row => (rows as readonly Row[])[0] ?? newRow()

/** The fields of PageInfo, of rows with `pageColumns`: those of the page, and of the next one the first, if there is one. */
function readPage(
  { size, offset, hasCursor }: SharedPage,
  list: string,
  rows: readonly Row[],
  { pageSizes }: ShapeContext,
): Readonly<Record<string, unknown>> {
  const first = pageSizes[size] ?? 0
  const onPage = rows.slice(0, first)
  const cursorOf = (row: Row | undefined) =>
    row === undefined
      ? null
      : encodeCursor({
          sort: `${list}.${String(row['sort_by'])}`,
          value: row['sort_value'],
          id: String(row['id']),
        })
  return {
    hasNextPage: rows.length > first,
    hasPreviousPage: hasCursor || (pageSizes[offset] ?? 0) > 0,
    startCursor: cursorOf(onPage.at(0)),
    endCursor: cursorOf(onPage.at(-1)),
  }
}

/** The fields of PageInfo that the client asks for. */
function shapePageInfo(scope: PlanScope, group: FieldGroup, page: Readonly<Record<string, unknown>>): Row {
  const type = scope.schema.getType('PageInfo')
  if (!isObjectType(type)) throw new Error('the contract has no PageInfo')
  const info = { __typename: type.name, ...page }
  const shaped = newRow()
  for (const [key, [field]] of collectFields(scope, type, selectionSetsOf(group)))
    shaped[key] = info[field.name.value as keyof typeof info]
  return shaped
}
