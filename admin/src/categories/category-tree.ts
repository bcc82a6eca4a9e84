/** What the tree is made of. */
export interface Placed {
  readonly id: string
  readonly name: string
  readonly parent: { readonly id: string } | null
}

export interface TreeNode<Item extends Placed> {
  /** Of the item, by which React Aria knows a node. */
  readonly id: string
  readonly item: Item
  readonly children: readonly TreeNode<Item>[]
}

/** The tree of a list, in its order. What is below a category that isn't in the list is at the top. */
export function treeOf<Item extends Placed>(items: readonly Item[]): readonly TreeNode<Item>[] {
  const ids = new Set(items.map(({ id }) => id))
  const below = Map.groupBy(items, ({ parent }) => (parent !== null && ids.has(parent.id) ? parent.id : null))
  const nodesOf = (parentId: string | null): readonly TreeNode<Item>[] =>
    (below.get(parentId) ?? []).map((item) => ({ id: item.id, item, children: nodesOf(item.id) }))
  return nodesOf(null)
}

/** The tree from top to bottom, with the depth of each. */
export const flatten = <Item extends Placed>(
  nodes: readonly TreeNode<Item>[],
  depth = 0,
): readonly { readonly item: Item; readonly depth: number }[] =>
  nodes.flatMap(({ item, children }) => [{ item, depth }, ...flatten(children, depth + 1)])

export interface Move {
  readonly id: string
  readonly parentId: string | null
  readonly position: number
}

export interface MoveTarget {
  readonly key: string
  readonly place: 'before' | 'after' | 'on'
}

/** Whether the second one is the first one, or below it: nothing can be moved into itself. */
export function isWithin(items: readonly Placed[], top: string, id: string): boolean {
  const byId = new Map(items.map((item) => [item.id, item]))
  for (let at: string | null = id; at !== null; at = byId.get(at)?.parent?.id ?? null)
    if (at === top) return true
  return false
}

/**
 * What has to be stored for a category to be before, after or below another one: its own parent and place, and the places of
 * its new siblings, as far as they aren't numbered so already. Places are only stored, never read, so all siblings are numbered.
 */
export function movesFor(items: readonly Placed[], id: string, target: MoveTarget): readonly Move[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  const to = byId.get(target.key)
  if (to === undefined || !byId.has(id) || isWithin(items, id, target.key)) return []
  const parentId = target.place === 'on' ? to.id : (to.parent?.id ?? null)
  const siblings = items
    .filter((item) => (item.parent?.id ?? null) === parentId && item.id !== id)
    .map((item) => item.id)
  const at =
    target.place === 'on' ? siblings.length : siblings.indexOf(to.id) + (target.place === 'after' ? 1 : 0)
  const order = [...siblings.slice(0, at), id, ...siblings.slice(at)]
  return order.map((each, position) => ({ id: each, parentId, position }))
}

/** The list as it will be after the moves: their items at the end, in their order. */
export function applyMoves<Item extends Placed>(
  items: readonly Item[],
  moves: readonly Move[],
): readonly Item[] {
  const byId = new Map(items.map((item) => [item.id, item]))
  const moved = new Set(moves.map(({ id }) => id))
  return [
    ...items.filter(({ id }) => !moved.has(id)),
    ...moves.flatMap(({ id, parentId }) => {
      const item = byId.get(id)
      return item === undefined ? [] : [{ ...item, parent: parentId === null ? null : { id: parentId } }]
    }),
  ]
}

/** What puts a category back to where it is now, among its siblings. */
export function undoOf(items: readonly Placed[], id: string): readonly Move[] {
  const parentId = items.find((item) => item.id === id)?.parent?.id ?? null
  return items
    .filter((item) => (item.parent?.id ?? null) === parentId)
    .map((item, position) => ({ id: item.id, parentId, position }))
}
