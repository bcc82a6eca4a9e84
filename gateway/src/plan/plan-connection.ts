import { behind, type Keyset, keysetOrder, opposite } from '../cursor/keyset.ts'
import { all, type Condition, type OrderBy } from '../projection/condition.ts'
import type { LinkKeyset } from '../projection/types.ts'
import { completeConnection, connectionShape, type KeysetLayout } from '../shape/connection-shape.ts'
import { type PartsPlace, type PartsPlan, planParts } from './connection-parts.ts'
import type { SelectedField } from './field-access.ts'
import type { HasuraField } from './hasura-document.ts'
import { planFilters, sortThrough } from './plan-filters.ts'
import { ahead, type PagePlan, planLimit, planPage } from './plan-page.ts'
import type { PlanScope } from './plan-scope.ts'
import { plan, type RowPlan } from './row-plan.ts'

/** Where a connection hangs: a root field's table, or an array relationship. */
export interface ConnectionPlace extends PartsPlace {
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
  const selection = planParts(scope, field, place, inNode(place, shown))
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
          orderBy: sortedThrough(
            sortThrough(connection.filters, args),
            keys.order(keysetOrder(page.keyset, page.backward, keys.id)),
          ),
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

const sortedThrough = (relationships: readonly string[], order: readonly OrderBy[]): readonly OrderBy[] =>
  order.map(({ path, direction }) => {
    const [first = path[0], ...rest] = [...relationships, ...path]
    return { path: [first, ...rest], direction }
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
