import { getNamedType, type GraphQLObjectType, isObjectType } from 'graphql'
import { behind, type Keyset, keysetOrder, opposite } from '../cursor/keyset.ts'
import { all, type Condition, type OrderBy } from '../projection/condition.ts'
import type { Aggregate, ConnectionProjection, LinkKeyset } from '../projection/types.ts'
import {
  completeConnection,
  type ConnectionPart,
  connectionShape,
  type EdgePart,
  type KeysetLayout,
  type PageInfoField,
  pageInfoFields,
  type PageInfoPart,
} from '../shape/connection-shape.ts'
import { rowShape, take } from '../shape/shape.ts'
import { collectFields, type FieldGroup, selectionSetsOf } from './collect-fields.ts'
import { aggregateField, readAggregate } from './aggregate.ts'
import type { SelectedField } from './field-access.ts'
import type { HasuraField } from './hasura-document.ts'
import { planFilters } from './plan-filters.ts'
import { embed, plan, planRow, type RowPlan } from './plan-row.ts'
import { ahead, type PagePlan, planLimit, planPage } from './plan-page.ts'
import type { PlanScope } from './plan-scope.ts'

/** Where a connection hangs: a root field's table, or an array relationship. */
export interface ConnectionPlace {
  readonly connection: ConnectionProjection
  /** Hasura's field that lists the rows, and the one that aggregates them. */
  readonly list: string
  readonly aggregate: string
  /** For a link table: the object relationship from the link to the node. */
  readonly through?: string
  readonly link?: LinkKeyset
}

/** Keys of a link row and of a keyset's columns. */
const nodeKey = 'node'

/**
 * Plans a connection: the page's rows, one more to know whether there is another page, and, only where they are
 * selected, the number of all rows and whether there is something on the other side of the cursor.
 */
export function planConnection(scope: PlanScope, field: SelectedField, place: ConnectionPlace): RowPlan {
  const { connection } = place
  const args = scope.arguments(field.definition, field.group)
  const shown = all([scope.ofRole(connection.visible), ...planFilters(scope, connection.filters, args)])
  const selection = planParts(scope, field, place, shown)
  const page = planPage(scope, connection, args, selection.needsRows)
  const rows = planRows(scope, selection, page)
  const probe = planProbe(scope, selection, page, place, shown)
  const more = page.backward ? 'hasPreviousPage' : 'hasNextPage'
  const limit = planLimit(scope, page, args, selection.needsRows, selection.pageInfo.has(more))
  const keys = keysetPlace(place, page.keyset)
  const where = all([
    inNode(place, shown),
    page.cursor && keys.where(behind(ahead(page), page.cursor.value, page.cursor.id, false, keys.id)),
  ])
  const list: HasuraField = selection.needsRows
    ? {
        alias: field.key,
        name: place.list,
        args: {
          where,
          orderBy: keys.order(keysetOrder(page.keyset, page.backward, keys.id)),
          limit,
        },
        selection:
          place.through === undefined
            ? rows.fields
            : [{ alias: nodeKey, name: place.through, selection: rows.fields }],
      }
    : { alias: field.key, name: '__typename' }
  return plan(field, [list, ...selection.aggregates, ...(probe ? [probe] : [])], {
    extract: connectionShape(selection.parts, {
      page: page.number,
      backward: page.backward,
      hidden: rows.hidden,
      ...(place.through !== undefined && { through: nodeKey }),
      ...(rows.keyset && { keyset: rows.keyset }),
      ...(probe && { probe: probe.alias }),
    }),
    complete: completeConnection,
  })
}

/** What is selected of a connection, and what of it needs the rows, the keyset or an aggregate. */
interface PartsPlan {
  readonly parts: ConnectionPart[]
  readonly nodes: HasuraField[]
  readonly aggregates: HasuraField[]
  readonly pageInfo: Set<PageInfoField>
  needsRows: boolean
  needsCursors: boolean
  needsEdgeCursors: boolean
}

function planParts(
  scope: PlanScope,
  field: SelectedField,
  place: ConnectionPlace,
  shown: Condition | undefined,
): PartsPlan {
  const type = getNamedType(field.definition.type)
  if (!isObjectType(type)) throw new Error(`${type.name} is no connection`)
  const result: PartsPlan = {
    parts: [],
    nodes: [],
    aggregates: [],
    pageInfo: new Set(),
    needsRows: false,
    needsCursors: false,
    needsEdgeCursors: false,
  }
  for (const [key, group] of collectFields(scope, type, selectionSetsOf(field.group)))
    result.parts.push(planPart(scope, place, type, key, group, shown, result))
  return result
}

function planPart(
  scope: PlanScope,
  place: ConnectionPlace,
  type: GraphQLObjectType,
  key: string,
  group: FieldGroup,
  shown: Condition | undefined,
  result: PartsPlan,
): ConnectionPart {
  const name = group[0].name.value
  switch (name) {
    case '__typename':
      return { kind: 'constant', key, value: type.name }
    case 'edges':
      result.needsRows = true
      return {
        kind: 'edges',
        key,
        parts: scope.below(key, () =>
          planEdges(scope, place.connection, objectOf(type, name), group, result),
        ),
      }
    case 'pageInfo':
      return { kind: 'pageInfo', key, parts: planPageInfo(scope, objectOf(type, name), group, result) }
    default: {
      const aggregate: Aggregate | undefined =
        name === 'totalCount' ? { function: 'count' } : place.connection.aggregates?.[name]
      if (!aggregate) throw new Error(`${type.name}.${name} has no projection`)
      const alias = scope.hiddenKey()
      result.aggregates.push(aggregateField(alias, place.aggregate, aggregate, inNode(place, shown)))
      return { kind: 'aggregate', key, read: (row) => readAggregate(take(row, alias), aggregate) }
    }
  }
}

const planEdges = (
  scope: PlanScope,
  { projection }: ConnectionProjection,
  type: GraphQLObjectType,
  group: FieldGroup,
  result: PartsPlan,
): EdgePart[] =>
  [...collectFields(scope, type, selectionSetsOf(group))].map(([key, field]): EdgePart => {
    const name = field[0].name.value
    if (name === '__typename') return { kind: 'constant', key, value: type.name }
    if (name === 'cursor') {
      result.needsCursors = true
      result.needsEdgeCursors = true
      return { kind: 'cursor', key }
    }
    const row = scope.below(key, () => planRow(scope, projection, selectionSetsOf(field)))
    const complete = rowShape(row.shapes)
    if (result.nodes.length === 0) {
      result.nodes.push(...row.fields)
      return { kind: 'node', key, complete }
    }
    // The same rows under a second alias, with a selection of its own.
    const { fields, extract } = embed(scope, row.fields)
    result.nodes.push(...fields)
    return { kind: 'node', key, extract, complete }
  })

const planPageInfo = (
  scope: PlanScope,
  type: GraphQLObjectType,
  group: FieldGroup,
  result: PartsPlan,
): PageInfoPart[] =>
  [...collectFields(scope, type, selectionSetsOf(group))].map(([key, [node]]): PageInfoPart => {
    const name = pageInfoFields.find((field) => field === node.name.value)
    if (!name) return { kind: 'constant', key, value: type.name }
    result.pageInfo.add(name)
    result.needsRows = true
    if (name === 'startCursor' || name === 'endCursor') result.needsCursors = true
    return { kind: name, key }
  })

/** The fields of the page's nodes: what is selected, and the keyset where cursors are made of it. */
function planRows(
  scope: PlanScope,
  { nodes, needsCursors, needsEdgeCursors }: PartsPlan,
  { sort, sortName }: PagePlan,
): {
  readonly fields: readonly HasuraField[]
  readonly hidden: readonly string[]
  readonly keyset: KeysetLayout | undefined
} {
  const fields = [...nodes]
  const hidden: string[] = []
  const keyOf = (column: string) => {
    // A plain column is left as it is by every shape, so the client's own selection of it serves as well.
    const selected = fields.find(({ name, args, selection }) => name === column && !args && !selection)
    if (selected) return selected.alias
    const alias = scope.hiddenKey()
    fields.push({ alias, name: column })
    hidden.push(alias)
    return alias
  }
  const keyset = needsCursors
    ? { sort: sortName, value: keyOf(sort.column), id: keyOf('id'), ofEdges: needsEdgeCursors }
    : undefined
  if (fields.length === 0) fields.push({ alias: '__typename', name: '__typename' })
  return { fields, hidden, keyset }
}

/** Asks for one row on the other side of the cursor. Without a cursor there is no other side. */
function planProbe(
  scope: PlanScope,
  { pageInfo }: PartsPlan,
  page: PagePlan,
  place: ConnectionPlace,
  shown: Condition | undefined,
): HasuraField | undefined {
  const { backward, cursor } = page
  if (!cursor || !pageInfo.has(backward ? 'hasNextPage' : 'hasPreviousPage')) return undefined
  const { column, direction } = ahead(page)
  const back = { column, direction: opposite(direction) }
  const keys = keysetPlace(place, back)
  const where = all([inNode(place, shown), keys.where(behind(back, cursor.value, cursor.id, true, keys.id))])
  return {
    alias: scope.hiddenKey(),
    name: place.list,
    args: { where, limit: 1 },
    selection: [{ alias: '__typename', name: '__typename' }],
  }
}

const inNode = ({ through }: ConnectionPlace, condition: Condition | undefined): Condition | undefined =>
  through === undefined || condition === undefined ? condition : { [through]: condition }

/** Where the keyset's columns are: in the node, or in the link row to it when that has them. */
interface KeysetPlace {
  /** The column with the node's id. */
  readonly id: string
  readonly where: (condition: Condition) => Condition | undefined
  readonly order: (order: readonly OrderBy[]) => readonly OrderBy[]
}

function keysetPlace(place: ConnectionPlace, { column }: Keyset): KeysetPlace {
  const { through, link } = place
  if (link?.columns.includes(column) === true)
    return { id: link.id, where: (condition) => condition, order: (order) => order }
  return {
    id: 'id',
    where: (condition) => inNode(place, condition),
    order: (order) =>
      through === undefined
        ? order
        : order.map(({ path, direction }) => ({ path: [through, ...path], direction })),
  }
}

/** The object type that a field of a connection answers, once or as a list. */
function objectOf(type: GraphQLObjectType, name: string): GraphQLObjectType {
  const field = type.getFields()[name]
  const named = field && getNamedType(field.type)
  if (!isObjectType(named)) throw new Error(`${type.name}.${name} answers no object`)
  return named
}
