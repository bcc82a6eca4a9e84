import { isInterfaceType, isObjectType, Kind, type SelectionSetNode } from 'graphql'
import { outOfRange } from '@commerce-graph/contract/errors'
import { maxPageSize } from '../cursor/page.ts'
import { toUuid } from '../projection/filter.ts'
import type { Lookup } from '../projection/types.ts'
import type { Row, ShapeContext } from '../shape/shape.ts'
import { selectionSetsOf } from './collect-fields.ts'
import type { SelectedField } from './field-access.ts'
import { type EntitiesPlan, entitiesOf, type EntityList, planEntityList } from './plan-entities.ts'
import type { PlanScope } from './plan-scope.ts'

/**
 * Plans `node` and `nodes`: an id doesn't tell its type, so each type that the fragments name is asked for it, all in the one Hasura
 * document. Without such a fragment all types are. A type that the caller may not have is not asked, and its records are not there;
 * what can't be seen by its own single can't be seen here.
 */
export function planNodes(scope: PlanScope, field: SelectedField): EntitiesPlan {
  const args = scope.arguments(field.definition, field.group)
  const one = field.definition.name === 'node'
  const selectionSets = selectionSetsOf(field.group)
  const lists = wantedTypes(scope, selectionSets)
    .filter((type) => mayHave(scope, type))
    .map((type) => planEntityList(scope, type, selectionSets, scope.ofRole(visibleOf(scope, type))))
  const idsIn = (values: Readonly<Record<string, unknown>>) =>
    one ? [values['id']] : (values['ids'] as readonly unknown[])
  scope.binders.push((request, { variables, errors }) => {
    const ids = idsIn(args.in(request))
    if (ids.length < 1 || ids.length > maxPageSize) errors.push(outOfRange('ids', ids.length, 1, maxPageSize))
    for (const { variable } of lists) variables[variable] = [...new Set(ids.map(toUuid))]
  })
  return {
    fields: lists.map((list) => list.field),
    read: (answer, request, context) => {
      const find = finder(lists, answer)
      const ids = idsIn(args.in(request))
      if (one) return find(toUuid(ids[0]), context)
      return ids.map((id, index) => {
        context.path.push(index)
        const found = find(toUuid(id), context)
        context.path.pop()
        return found
      })
    },
  }
}

/** Finds a record in the lists of Hasura's answer. */
function finder(lists: readonly EntityList[], answer: Row): (id: string, context: ShapeContext) => unknown {
  const entities = lists.map((list) => entitiesOf(list, answer))
  return (id, context) => {
    for (const find of entities) {
      const found = find(id, context)
      if (found != null) return found
    }
    return null
  }
}

/** The types with a key that fragments name, directly or by an interface of their own; all where none is named. */
function wantedTypes(scope: PlanScope, selectionSets: readonly SelectionSetNode[]): readonly string[] {
  const { entities } = scope.contract.federation
  const named = new Set<string>()
  const visited = new Set<string>()
  const visit = ({ selections }: SelectionSetNode): void => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) continue
      const spread = selection.kind === Kind.FRAGMENT_SPREAD
      if (spread && visited.has(selection.name.value)) continue
      if (spread) visited.add(selection.name.value)
      const fragment = spread ? scope.fragments.get(selection.name.value) : selection
      const condition = fragment?.typeCondition?.name.value
      if (condition !== undefined && isObjectType(scope.schema.getType(condition))) named.add(condition)
      if (fragment) visit(fragment.selectionSet)
    }
  }
  selectionSets.forEach(visit)
  return named.size > 0
    ? entities.filter((type) => named.has(type))
    : entities.filter((type) => isNode(scope, type))
}

function isNode({ schema }: PlanScope, name: string): boolean {
  const [node, type] = [schema.getType('Node'), schema.getType(name)]
  return isInterfaceType(node) && isObjectType(type) && schema.isSubType(node, type)
}

/** A type without a rule is open to those whom its rows belong to, and no guest has rows. */
function mayHave(scope: PlanScope, type: string): boolean {
  const rule = scope.contract.permissions.ofType(type)
  return rule ? scope.allows(rule) : scope.role !== 'guest'
}

/** The rows that the type's own single shows. */
function visibleOf({ projections }: PlanScope, type: string): Lookup['visible'] {
  for (const query of projections.queries.values())
    if (query.kind === 'lookup' && query.projection === type) return query.visible
  return undefined
}
