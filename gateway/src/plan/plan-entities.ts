import {
  type CatalogueError,
  fieldRequired,
  invalidFormat,
  outOfRange,
} from '@commerce-graph/contract/errors'
import type { SelectionSetNode } from 'graphql'
import { all, type Condition } from '../projection/condition.ts'
import { toUuid } from '../projection/filter.ts'
import { refuse, type Row, rowShape, type ShapeContext, take } from '../shape/shape.ts'
import type { Bound, Request } from './binding.ts'
import { selectionSetsOf } from './collect-fields.ts'
import { type EntityReference, maxReferences, referencedTypes, referencesIn } from './entity-references.ts'
import type { SelectedField } from './field-access.ts'
import type { HasuraField } from './hasura-document.ts'
import { planRow, projectionNamed } from './plan-row.ts'
import type { PlanScope } from './plan-scope.ts'

export interface EntitiesPlan {
  readonly fields: readonly HasuraField[]
  /** What the field answers, put together of Hasura's lists: the records in the order of the references. */
  readonly read: (answer: Row, request: Request, context: ShapeContext) => unknown
}

/**
 * Plans `_entities`: one list for each type that is referred to, all in the one Hasura document. A record is found as
 * row permissions show it. So another merchant's is not there, and a deleted product is, as it is below an order.
 */
export function planEntities(scope: PlanScope, field: SelectedField): EntitiesPlan {
  const args = scope.arguments(field.definition, field.group)
  const { entities } = scope.contract.federation
  const planned = new Map(
    referencedTypes(referencesIn(args.now['representations']))
      .filter((type) => entities.includes(type))
      .map((type) => [type, planType(scope, field, type)] as const),
  )
  scope.binders.push((request, bound) => {
    const references = referencesIn(args.in(request)['representations'])
    if (!check(references, planned, bound)) return
    for (const [type, plan] of planned)
      if (plan.kind === 'list') bound.variables[plan.variable] = idsOf(references, type)
  })
  return {
    fields: [...planned.values()].flatMap((plan) => (plan.kind === 'list' ? [plan.field] : [])),
    read: (answer, request, context) => {
      const references = referencesIn(args.in(request)['representations'])
      const entities = new Map([...planned].map(([type, plan]) => [type, entitiesOf(plan, answer)]))
      return references.map(({ __typename: type, id }, index) => {
        context.path.push(index)
        const entity = entities.get(String(type))?.(toUuid(id), context) ?? null
        context.path.pop()
        return entity
      })
    },
  }
}

type EntityPlan = EntityList | { readonly kind: 'refused'; readonly error: CatalogueError }

/** The records of a type that are looked for by their ids. */
export interface EntityList {
  readonly kind: 'list'
  readonly field: HasuraField
  readonly variable: string
  /** The key of the row's id among its fields. */
  readonly idKey: string
  readonly complete: ReturnType<typeof rowShape>
}

function planType(scope: PlanScope, { group }: SelectedField, type: string): EntityPlan {
  const rule = scope.contract.permissions.ofType(type)
  const error = scope.refuse(rule ? [{ rule, of: type }] : [], false)
  return error ? { kind: 'refused', error } : planEntityList(scope, type, selectionSetsOf(group))
}

/** @param visible which of the type's rows count, beside what row permissions say */
export function planEntityList(
  scope: PlanScope,
  type: string,
  selectionSets: readonly SelectionSetNode[],
  visible?: Condition,
): EntityList {
  const row = planRow(scope, type, selectionSets)
  const ids = scope.variable('[uuid!]!')
  const idKey = scope.hiddenKey()
  const field: HasuraField = {
    alias: scope.hiddenKey(),
    name: projectionNamed(scope, type).table,
    args: { where: all([{ id: { _in: ids } }, visible]) },
    selection: [...row.fields, { alias: idKey, name: 'id' }],
  }
  return { kind: 'list', field, variable: ids.name, idKey, complete: rowShape(row.shapes) }
}

/** Finds a type's records by their ids in Hasura's answer. */
export function entitiesOf(plan: EntityPlan, answer: Row): (id: string, context: ShapeContext) => unknown {
  if (plan.kind === 'refused') return (_id, context) => refuse(plan.error, context)
  const rows = rowsById(answer, plan)
  const found = new Map<Row, unknown>()
  return (id, context) => {
    const row = rows.get(id)
    if (!row) return null
    // A row that is referred to twice is shaped once, since that changes it in place.
    if (!found.has(row)) found.set(row, plan.complete ? plan.complete(row, context) : row)
    return found.get(row)
  }
}

function check(
  references: readonly EntityReference[],
  planned: ReadonlyMap<string, EntityPlan>,
  { errors }: Bound,
): boolean {
  if (references.length > maxReferences) {
    errors.push(outOfRange('representations', references.length, 0, maxReferences))
    return false
  }
  for (const [index, { __typename: type, id }] of references.entries()) {
    const path = `representations.${index}`
    if (type === undefined) errors.push(fieldRequired(`${path}.__typename`))
    // The plan is made for the types that the document or a variable of type _Any names; nothing else may choose them.
    else if (typeof type !== 'string' || !planned.has(type))
      errors.push(invalidFormat(`${path}.__typename`, 'name of a type that has a key, such as Product'))
    if (id == null || id === '') errors.push(fieldRequired(`${path}.id`))
    else if (typeof id !== 'string') errors.push(invalidFormat(`${path}.id`, 'string'))
    if (errors.length >= maxErrors) return false
  }
  return errors.length === 0
}

/** More would only repeat itself. */
const maxErrors = 50

const idsOf = (references: readonly EntityReference[], type: string): readonly string[] => [
  ...new Set(references.filter((one) => one['__typename'] === type).map(({ id }) => toUuid(id))),
]

function rowsById(answer: Row, { field, idKey }: EntityList): ReadonlyMap<string, Row> {
  const rows = take(answer, field.alias) as readonly Row[]
  return new Map(rows.map((row) => [String(take(row, idKey)), row]))
}
