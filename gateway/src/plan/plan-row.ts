import {
  getNamedType,
  type GraphQLObjectType,
  isLeafType,
  isObjectType,
  type SelectionSetNode,
} from 'graphql'
import { type CatalogueError, outOfRange } from '@commerce-graph/contract/errors'
import { maxListLength, maxPageSize } from '../cursor/page.ts'
import { columnName } from '@commerce-graph/contract'
import type { VariableReference } from '../projection/condition.ts'
import type { FieldProjection, Limit, ToMany, TypeProjection } from '../projection/types.ts'
import {
  type Complete,
  type FieldShape,
  listShape,
  newRow,
  refuse,
  type Row,
  rowShape,
  type ShapeContext,
  shorten,
  take,
} from '../shape/shape.ts'
import { collectFields, type FieldGroup, selectionSetsOf } from './collect-fields.ts'
import { aggregateField, readAggregate } from './aggregate.ts'
import type { SelectedField } from './field-access.ts'
import type { HasuraField } from './hasura-document.ts'
import { planConnection } from './plan-connection.ts'
import type { FieldArguments, PlanScope } from './plan-scope.ts'
import { plan, type RowPlan } from './row-plan.ts'
import { embed } from './embed.ts'

/** A field to select of a type: the key to answer it under, and the document's nodes for its arguments and selection. */
export interface FieldSelection {
  readonly key: string
  readonly name: string
  readonly group: FieldGroup
}

/** Plans the selection of a contract object that is found as the projection says. */
export const planRow = (
  scope: PlanScope,
  projectionName: string,
  selectionSets: readonly SelectionSetNode[],
): RowPlan => planFields(scope, projectionName, selectionsOf(scope, projectionName, selectionSets))

function selectionsOf(
  scope: PlanScope,
  projectionName: string,
  selectionSets: readonly SelectionSetNode[],
): readonly FieldSelection[] {
  const type = typeOf(scope, projectionNamed(scope, projectionName))
  const selected = [...collectFields(scope, type, selectionSets)]
  return selected.map(([key, group]) => ({ key, name: group[0].name.value, group }))
}

/**
 * Plans the given fields of a contract object that is found as the projection says. Whether the caller may have the object
 * was decided at the field that answers it.
 */
export function planFields(
  scope: PlanScope,
  projectionName: string,
  selections: readonly FieldSelection[],
): RowPlan {
  const projection = projectionNamed(scope, projectionName)
  const type = typeOf(scope, projection)
  const definitions = type.getFields()
  const plans = selections.map(({ key, name, group }) => {
    const definition = definitions[name]
    return definition
      ? planField(scope, projection, { key, type: type.name, definition, group })
      : planTypename(key, projection)
  })
  if (plans.length === 0) return planNothing(scope)
  return { fields: plans.flatMap(({ fields }) => fields), shapes: plans.flatMap(({ shapes }) => shapes) }
}

function typeOf(scope: PlanScope, projection: TypeProjection): GraphQLObjectType {
  const type = scope.schema.getType(projection.type)
  if (!isObjectType(type)) throw new Error(`${projection.type} is no object type of the contract`)
  return type
}

export function projectionNamed(scope: PlanScope, name: string): TypeProjection {
  const projection = scope.projections.types.get(name)
  if (!projection) throw new Error(`there is no projection ${name}`)
  return projection
}

/** Asks for a row of which nothing is selected: what counts is whether it is there. */
function planNothing(scope: PlanScope): RowPlan {
  const key = scope.hiddenKey()
  return {
    fields: [{ alias: key, name: '__typename' }],
    shapes: [{ key, field: key, nonNull: false, extract: () => undefined }],
  }
}

function planTypename(key: string, { type }: TypeProjection): RowPlan {
  const fields = [{ alias: key, name: '__typename' }]
  const shape: FieldShape = { key, field: `${type}.__typename`, nonNull: true, extract: () => type }
  return { fields, shapes: [shape] }
}

const planField = (scope: PlanScope, projection: TypeProjection, field: SelectedField): RowPlan =>
  scope.below(field.key, () => {
    const refusal = scope.refusalOf(field)
    return refusal ? planRefused(field, refusal) : planVisibleField(scope, projection, field)
  })

/** Nothing of it is asked for; its place in the answer tells why. */
const planRefused = (field: SelectedField, error: CatalogueError): RowPlan =>
  plan(field, [{ alias: field.key, name: '__typename' }], {
    extract: (_raw, _row, context) => refuse(error, context),
  })

function planVisibleField(scope: PlanScope, projection: TypeProjection, field: SelectedField): RowPlan {
  const how = projection.fields?.[field.definition.name] ?? sameName(field)
  switch (how.kind) {
    case 'column':
      return plan(field, [{ alias: field.key, name: how.column }])
    case 'stored':
      return planStored(scope, field, how)
    case 'constant':
      return plan(field, [{ alias: field.key, name: '__typename' }], { extract: () => how.value })
    case 'path':
      return planPath(field, how)
    case 'object':
      return planObject(scope, field, how)
    case 'embedded':
      return planEmbedded(scope, field, how)
    case 'first':
      return planFirst(scope, field, how)
    case 'list':
      return planList(scope, field, how)
    case 'exists':
      return planExists(field, how)
    case 'aggregate': {
      const { relationship, aggregate, where } = how
      const asked = aggregateField(field.key, `${relationship}_aggregate`, aggregate, where)
      return plan(field, [asked], { extract: (raw) => readAggregate(raw, aggregate) })
    }
    case 'connection':
      return planConnection(scope, field, {
        connection: how.connection,
        planNode: (selectionSets) => planRow(scope, how.connection.projection, selectionSets),
        list: how.relationship,
        ...(how.through !== undefined && { through: how.through }),
        ...(how.link && { link: how.link }),
      })
    default:
      return how satisfies never
  }
}

/** The default projection of a field: a column, or an object relationship, of the field's name. */
const sameName = ({ definition: { name, type } }: SelectedField): FieldProjection =>
  isLeafType(getNamedType(type))
    ? { kind: 'column', column: columnName(name) }
    : { kind: 'object', relationship: columnName(name) }

function planStored(
  scope: PlanScope,
  field: SelectedField,
  { column }: Extract<FieldProjection, { kind: 'stored' }>,
): RowPlan {
  const type = getNamedType(field.definition.type)
  if (!isObjectType(type)) throw new Error(`${type.name} is no object type of the contract`)
  const selected = [...collectFields(scope, type, selectionSetsOf(field.group))].map(
    ([key, [node]]) => [key, node.name.value] as const,
  )
  return plan(field, [{ alias: field.key, name: column }], {
    extract: (raw) =>
      (raw as readonly Row[]).map((stored) => {
        const item = newRow()
        for (const [key, name] of selected) item[key] = name === '__typename' ? type.name : stored[name]
        return item
      }),
  })
}

function planPath(
  field: SelectedField,
  { relationship, column, absent }: Extract<FieldProjection, { kind: 'path' }>,
): RowPlan {
  const selection = [{ alias: 'value', name: column }]
  return plan(field, [{ alias: field.key, name: relationship, selection }], {
    extract: (raw) => (raw as { value?: unknown } | null)?.value ?? absent ?? null,
  })
}

/** The projection of a field's type, where none is named. */
const targetOf = (field: SelectedField, named: string | undefined): string =>
  named ?? getNamedType(field.definition.type).name

function planObject(
  scope: PlanScope,
  field: SelectedField,
  { relationship, projection, absentWhen }: Extract<FieldProjection, { kind: 'object' }>,
): RowPlan {
  const row = planRow(scope, targetOf(field, projection), selectionSetsOf(field.group))
  const complete = rowShape(row.shapes)
  if (absentWhen === undefined) {
    return plan(field, [{ alias: field.key, name: relationship, selection: row.fields }], { complete })
  }
  const evidence = { alias: scope.hiddenKey(), name: absentWhen }
  return plan(field, [{ alias: field.key, name: relationship, selection: [evidence, ...row.fields] }], {
    extract: (raw) => (raw != null && take(raw as Row, evidence.alias) != null ? raw : null),
    complete,
  })
}

function planEmbedded(
  scope: PlanScope,
  field: SelectedField,
  { projection, absentWhen }: Extract<FieldProjection, { kind: 'embedded' }>,
): RowPlan {
  const row = planRow(scope, projection, selectionSetsOf(field.group))
  const { fields, extract } = embed(scope, row.fields)
  const evidence = absentWhen.map((name) => ({ alias: scope.hiddenKey(), name }))
  const placeholder = { alias: field.key, name: '__typename' }
  return plan(field, [placeholder, ...evidence, ...fields], {
    extract: (_raw, outer) => {
      const object = extract(outer)
      const values = evidence.map(({ alias }) => take(outer, alias))
      return values.every((value) => value == null || value === false) ? null : object
    },
    complete: rowShape(row.shapes),
  })
}

/** The items of an array relationship: what to select of it, and how to get from its rows to the items. */
function planItems(
  scope: PlanScope,
  projection: string,
  through: string | undefined,
  group: FieldGroup,
): {
  readonly selection: readonly HasuraField[]
  readonly items: (raw: unknown) => unknown
  readonly complete: Complete<unknown> | undefined
} {
  const row = planRow(scope, projection, selectionSetsOf(group))
  const complete = rowShape(row.shapes)
  if (through === undefined) return { selection: row.fields, items: (raw) => raw, complete }
  return {
    selection: [{ alias: 'item', name: through, selection: row.fields }],
    items: (raw) => (raw as { item: unknown }[]).flatMap(({ item }) => item ?? []),
    complete,
  }
}

function planFirst(scope: PlanScope, field: SelectedField, how: ToMany): RowPlan {
  const { relationship, through, projection, where, orderBy } = how
  const { selection, items, complete } = planItems(scope, targetOf(field, projection), through, field.group)
  const asked = { alias: field.key, name: relationship, args: { where, orderBy, limit: 1 }, selection }
  return plan(field, [asked], {
    extract: (raw) => (items(raw) as unknown[])[0] ?? null,
    complete,
  })
}

function planList(scope: PlanScope, field: SelectedField, how: ToMany & { readonly limit?: Limit }): RowPlan {
  const { relationship, through, projection, where, orderBy } = how
  const said = how.limit && planLimit(scope, how.limit, scope.arguments(field.definition, field.group))
  const { limit, rows } = listBound(said, maxListLength)
  const { selection, items, complete } = planItems(scope, targetOf(field, projection), through, field.group)
  const asked = { alias: field.key, name: relationship, args: { where, orderBy, limit }, selection }
  return plan(field, [asked], {
    extract: (raw, _row, context) => items(rows(raw, context)),
    complete: listShape(complete),
  })
}

/** The number of rows of a list to request, and the function that makes the answer's list of Hasura's rows. */
interface ListBound {
  readonly limit: VariableReference | number
  readonly rows: (raw: unknown, context: ShapeContext) => unknown
}

/**
 * @param said what an argument or its preset says, where one does: then the client expects no more
 * @param max the bound otherwise. One row beyond it is asked for, so that the answer can tell of a longer list
 */
export const listBound = (said: VariableReference | number | undefined, max: number): ListBound =>
  said === undefined
    ? { limit: max + 1, rows: (raw, context) => shorten(raw, max, context) }
    : { limit: said, rows: (raw) => raw }

/** The number of items in the argument, or its default; undefined if there is neither. */
export function planLimit(
  scope: PlanScope,
  { argument, preset }: Limit,
  args: FieldArguments,
): VariableReference | number | undefined {
  if (args.now[argument] == null) return preset
  const variable = scope.variable('Int!')
  scope.binders.push((request, { variables, errors }) => {
    const limit = Number(args.in(request)[argument])
    if (limit < 1 || limit > maxPageSize) errors.push(outOfRange(argument, limit, 1, maxPageSize))
    variables[variable.name] = limit
  })
  return variable
}

function planExists(
  field: SelectedField,
  { relationship, where }: Extract<FieldProjection, { kind: 'exists' }>,
): RowPlan {
  const selection = [{ alias: '__typename', name: '__typename' }]
  return plan(field, [{ alias: field.key, name: relationship, args: { where, limit: 1 }, selection }], {
    extract: (raw) => (raw as unknown[]).length > 0,
  })
}
