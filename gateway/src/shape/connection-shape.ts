import { encodeCursor } from '../cursor/cursor.ts'
import { type Complete, type Row, type ShapeContext, take, newRow } from './shape.ts'

/** The parts of a connection that a client selects, in its order. */
export type ConnectionPart =
  | { readonly kind: 'edges'; readonly key: string; readonly parts: readonly EdgePart[] }
  | { readonly kind: 'nodes'; readonly key: string; readonly node: NodePart }
  | { readonly kind: 'pageInfo'; readonly key: string; readonly parts: readonly PageInfoPart[] }
  | { readonly kind: 'aggregate'; readonly key: string; readonly read: (row: Row) => unknown }
  | { readonly kind: 'constant'; readonly key: string; readonly value: string }

export type EdgePart =
  | { readonly kind: 'cursor'; readonly key: string }
  | NodePart
  | { readonly kind: 'constant'; readonly key: string; readonly value: string }

export interface NodePart {
  readonly kind: 'node'
  readonly key: string
  /** The node among the keys of its row, where it isn't the row itself. */
  readonly extract?: (row: Row) => Row
  readonly complete: Complete<unknown> | undefined
}

export type PageInfoPart =
  | { readonly kind: PageInfoField; readonly key: string }
  | { readonly kind: 'constant'; readonly key: string; readonly value: string }

export const pageInfoFields = ['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'] as const
export type PageInfoField = (typeof pageInfoFields)[number]

/** Where in a node the values of its cursor stand; there is none when no cursor is asked for. */
export interface KeysetLayout {
  readonly sort: string
  readonly value: string
  readonly id: string
  /** Whether every edge shows its cursor, and not only the page its ends. */
  readonly ofEdges: boolean
}

/** Where a page's rows and their neighbourhood stand in Hasura's answer. */
export interface PageLayout {
  /** Which of the context's page sizes is this connection's. */
  readonly page: number
  readonly backward: boolean
  /** In a link table's row: the key of the node. */
  readonly through?: string
  readonly keyset?: KeysetLayout
  /** Keys of the node that the client did not ask for. */
  readonly hidden: readonly string[]
  /** The key, beside the rows, that holds something if there are items on the other side of the cursor. */
  readonly probe?: string
}

/** @returns the connection, or null when a node that has to be there was lost */
export const connectionShape =
  (
    parts: readonly ConnectionPart[],
    layout: PageLayout,
  ): ((raw: unknown, row: Row, context: ShapeContext) => unknown) =>
  (raw, row, context) => {
    const page = readPage(raw, row, layout, context)
    const connection = newRow()
    for (const part of parts) {
      const value = partOf(part, page, row, context)
      if (value === null && (part.kind === 'edges' || part.kind === 'nodes')) return lost
      connection[part.key] = value
    }
    return connection
  }

/** A connection that lost a node has reported it already, so it is more than a plain null. */
const lost = Symbol('lost')

/** Turns the mark of a connection that was lost into null; a whole one is complete already. */
export const completeConnection: Complete<unknown> = (value) => (value === lost ? null : value)

interface Page {
  readonly nodes: readonly Row[]
  /** Of each node; empty where only the page's ends are asked for. */
  readonly cursors: readonly string[]
  readonly startCursor: string | null
  readonly endCursor: string | null
  readonly hasNextPage: boolean
  readonly hasPreviousPage: boolean
}

function readPage(raw: unknown, row: Row, layout: PageLayout, { pageSizes }: ShapeContext): Page {
  const rows = Array.isArray(raw) ? (raw as Row[]) : []
  const size = pageSizes[layout.page] ?? 0
  const more = rows.length > size
  if (more) rows.length = size
  if (layout.backward) rows.reverse()
  const { through, probe } = layout
  const nodes =
    through === undefined
      ? rows
      : rows.map((link) => link[through] as Row | null).filter((node) => node !== null)
  const others = probe !== undefined && (take(row, probe) as unknown[]).length > 0
  return {
    nodes,
    ...readCursors(nodes, layout),
    hasNextPage: layout.backward ? others : more,
    hasPreviousPage: layout.backward ? more : others,
  }
}

function readCursors(
  nodes: readonly Row[],
  { keyset, hidden }: PageLayout,
): Pick<Page, 'cursors' | 'startCursor' | 'endCursor'> {
  const cursorOf = (node: Row | undefined) =>
    node && keyset
      ? encodeCursor({ sort: keyset.sort, value: node[keyset.value], id: String(node[keyset.id]) })
      : null
  const cursors = keyset?.ofEdges === true ? nodes.map((node) => cursorOf(node) ?? '') : []
  const startCursor = cursors[0] ?? cursorOf(nodes[0])
  const endCursor = cursors.at(-1) ?? cursorOf(nodes.at(-1))
  for (const key of hidden) for (const node of nodes) node[key] = undefined
  return { cursors, startCursor, endCursor }
}

function partOf(part: ConnectionPart, page: Page, row: Row, context: ShapeContext): unknown {
  switch (part.kind) {
    case 'edges':
      return listOf(page, part.key, context, (row, index) =>
        edgeOf(part.parts, row, page.cursors[index], context),
      )
    case 'nodes':
      return listOf(page, part.key, context, (row) => nodeOf(part.node, row, context))
    case 'pageInfo':
      return pageInfo(part.parts, page)
    case 'aggregate':
      return part.read(row)
    case 'constant':
      return part.value
    default:
      return part satisfies never
  }
}

/** What is made of each row of a page; null when one of them was lost. */
function listOf(
  page: Page,
  key: string,
  context: ShapeContext,
  complete: (row: Row, index: number) => unknown,
): unknown[] | null {
  const list: unknown[] = []
  context.path.push(key)
  try {
    for (const [index, row] of page.nodes.entries()) {
      context.path.push(index)
      const item = complete(row, index)
      context.path.pop()
      if (item === null) return null
      list.push(item)
    }
    return list
  } finally {
    context.path.pop()
  }
}

function edgeOf(
  parts: readonly EdgePart[],
  row: Row,
  cursor: string | undefined,
  context: ShapeContext,
): Row | null {
  const edge = newRow()
  for (const part of parts) {
    if (part.kind === 'cursor') edge[part.key] = cursor
    else if (part.kind === 'constant') edge[part.key] = part.value
    else {
      context.path.push(part.key)
      const node = nodeOf(part, row, context)
      context.path.pop()
      if (node === null) return null
      edge[part.key] = node
    }
  }
  return edge
}

function nodeOf({ extract, complete }: NodePart, row: Row, context: ShapeContext): unknown {
  const node = extract ? extract(row) : row
  return complete ? complete(node, context) : node
}

function pageInfo(parts: readonly PageInfoPart[], page: Page): Row {
  const info = newRow()
  for (const part of parts) info[part.key] = part.kind === 'constant' ? part.value : page[part.kind]
  return info
}
