import { encodeCursor } from '../cursor/cursor.ts'
import { type Complete, type Row, type ShapeContext, take } from './shape.ts'

/** What a client selects of a connection, in its order. */
export type ConnectionPart =
  | { readonly kind: 'edges'; readonly key: string; readonly parts: readonly EdgePart[] }
  | { readonly kind: 'pageInfo'; readonly key: string; readonly parts: readonly PageInfoPart[] }
  | { readonly kind: 'aggregate'; readonly key: string; readonly read: (row: Row) => unknown }
  | { readonly kind: 'constant'; readonly key: string; readonly value: string }

export type EdgePart =
  | { readonly kind: 'cursor'; readonly key: string }
  | {
      readonly kind: 'node'
      readonly key: string
      /** The node among the keys of its row, where it isn't the row itself. */
      readonly extract?: (row: Row) => Row
      readonly complete: Complete<unknown> | undefined
    }
  | { readonly kind: 'constant'; readonly key: string; readonly value: string }

export type PageInfoPart =
  | { readonly kind: PageInfoField; readonly key: string }
  | { readonly kind: 'constant'; readonly key: string; readonly value: string }

export const pageInfoFields = ['hasNextPage', 'hasPreviousPage', 'startCursor', 'endCursor'] as const
export type PageInfoField = (typeof pageInfoFields)[number]

/** Where a page's rows and their neighbourhood stand in Hasura's answer. */
export interface PageLayout {
  /** Which of the context's page sizes is this connection's. */
  readonly page: number
  readonly backward: boolean
  /** In a link table's row: the key of the node. */
  readonly through?: string
  /** Keys of the sort column and the id in the node; absent when no cursor is needed. */
  readonly keyset?: { readonly sort: string; readonly value: string; readonly id: string }
  /** Keys of the node that the client did not ask for. */
  readonly hidden: readonly string[]
  /** The key, beside the rows, that holds something if there are items on the other side of the cursor. */
  readonly probe?: string
}

/** @returns the connection, or null when a node that has to be there was lost */
export function connectionShape(
  parts: readonly ConnectionPart[],
  layout: PageLayout,
): (raw: unknown, row: Row, context: ShapeContext) => unknown {
  return (raw, row, context) => {
    const page = readPage(raw, row, layout, context)
    const connection: Row = {}
    for (const part of parts) {
      const value = partOf(part, page, row, context)
      if (value === null && part.kind === 'edges') return lost
      connection[part.key] = value
    }
    return connection
  }
}

/** A connection that lost a node has reported it already, so it is more than a plain null. */
const lost = Symbol('lost')

/** Turns the mark of a connection that was lost into null; a whole one is complete already. */
export const completeConnection: Complete<unknown> = (value) => (value === lost ? null : value)

interface Page {
  readonly nodes: readonly Row[]
  readonly cursors: readonly string[]
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
    cursors: readCursors(nodes, layout),
    hasNextPage: layout.backward ? others : more,
    hasPreviousPage: layout.backward ? more : others,
  }
}

function readCursors(nodes: readonly Row[], { keyset, hidden }: PageLayout): readonly string[] {
  const cursors = keyset
    ? nodes.map((node) =>
        encodeCursor({ sort: keyset.sort, value: node[keyset.value], id: String(node[keyset.id]) }),
      )
    : []
  if (hidden.length > 0) for (const node of nodes) for (const key of hidden) node[key] = undefined
  return cursors
}

function partOf(part: ConnectionPart, page: Page, row: Row, context: ShapeContext): unknown {
  switch (part.kind) {
    case 'edges':
      context.path.push(part.key)
      try {
        return edges(part.parts, page, context)
      } finally {
        context.path.pop()
      }
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

function edges(parts: readonly EdgePart[], page: Page, context: ShapeContext): Row[] | null {
  const list: Row[] = []
  for (const [index, node] of page.nodes.entries()) {
    context.path.push(index)
    const edge = edgeOf(parts, node, page.cursors[index], context)
    context.path.pop()
    if (edge === null) return null
    list.push(edge)
  }
  return list
}

function edgeOf(
  parts: readonly EdgePart[],
  row: Row,
  cursor: string | undefined,
  context: ShapeContext,
): Row | null {
  const edge: Row = {}
  for (const part of parts) {
    if (part.kind === 'cursor') edge[part.key] = cursor
    else if (part.kind === 'constant') edge[part.key] = part.value
    else {
      const node = part.extract ? part.extract(row) : row
      context.path.push(part.key)
      const completed = part.complete ? part.complete(node, context) : node
      context.path.pop()
      if (completed === null) return null
      edge[part.key] = completed
    }
  }
  return edge
}

function pageInfo(parts: readonly PageInfoPart[], page: Page): Row {
  const info: Row = {}
  for (const part of parts)
    info[part.key] = part.kind === 'constant' ? part.value : pageInfoOf(part.kind, page)
  return info
}

function pageInfoOf(field: PageInfoField, { cursors, hasNextPage, hasPreviousPage }: Page): unknown {
  switch (field) {
    case 'hasNextPage':
      return hasNextPage
    case 'hasPreviousPage':
      return hasPreviousPage
    case 'startCursor':
      return cursors[0] ?? null
    case 'endCursor':
      return cursors.at(-1) ?? null
    default:
      return field satisfies never
  }
}
