import type { CallOptions, Client } from './client.ts'
import type { TypedDocument, Variables } from './document.ts'
import { RequestFailed } from './request-error.ts'

/** A page of a list, with `nodes` or with `edges { node }`. */
export type Connection<Node> = {
  readonly pageInfo: {
    readonly hasNextPage?: boolean
    readonly endCursor?: string | null
    readonly hasPreviousPage?: boolean
    readonly startCursor?: string | null
  }
} & ({ readonly nodes: readonly Node[] } | { readonly edges: readonly { readonly node: Node }[] })

export interface PageOptions<Data, Node> extends Omit<CallOptions, 'idempotencyKey'> {
  /** Finds the list in the data. If it returns null, e.g. because its parent doesn't exist, there is nothing to read. */
  readonly connection: (data: Data) => Connection<Node> | null | undefined
  /** The records of a page: 1 to 100. 50 unless set. */
  readonly pageSize?: number
  /** Continues behind a page that was read before: its `cursor`. */
  readonly cursor?: string | null
  /**
   * `forward` takes `$first` and `$after` of the document, and reads `pageInfo { hasNextPage endCursor }`. `backward` takes `$last`
   * and `$before`, reads `pageInfo { hasPreviousPage startCursor }`, and begins with the last record.
   */
  readonly direction?: 'forward' | 'backward'
  /** The most pages. 10,000 unless set. If there are more, it throws a RangeError. */
  readonly maxPages?: number
}

export interface Page<Data, Node> {
  /** In the order in which they are read: from the last to the first if the direction is backward. */
  readonly nodes: readonly Node[]
  /** Where the next page begins, to pass as the option `cursor`. Null behind the last page. */
  readonly cursor: string | null
  readonly data: Data
}

/** The variables that the client sets. */
type PageVariable = 'first' | 'after' | 'last' | 'before'

/** Variables of which the client sets those of the page. */
type OwnVariables<All> = Omit<All, PageVariable>

/**
 * All records of a list, page by page. A page is requested when the one before was read.
 *
 * @throws RequestFailed if a page has an error, after the retries. RangeError if there are more pages than `maxPages`.
 */
export async function* paginate<Data, All, Node>(
  client: Client,
  document: TypedDocument<Data, All>,
  variables: NoInfer<OwnVariables<All>>,
  options: PageOptions<NoInfer<Data>, Node>,
): AsyncGenerator<Node, void, undefined> {
  for await (const { nodes } of pages(client, document, variables, options)) yield* nodes
}

/** The pages of a list, each with the cursor at which a later run continues. Throws what `paginate` throws. */
export async function* pages<Data, All, Node>(
  client: Client,
  document: TypedDocument<Data, All>,
  variables: NoInfer<OwnVariables<All>>,
  options: PageOptions<NoInfer<Data>, Node>,
): AsyncGenerator<Page<Data, Node>, void, undefined> {
  const { connection, pageSize = 50, direction = 'forward', maxPages = 10_000, ...call } = options
  let cursor = options.cursor ?? null
  for (let number = 0; number < maxPages; number++) {
    const place =
      direction === 'forward' ? { first: pageSize, after: cursor } : { last: pageSize, before: cursor }
    const sent: Variables = { ...variables, ...place }
    const result = await client.query(document as TypedDocument<Data, Variables>, sent, call)
    if (!result.ok) throw new RequestFailed(result.error)
    const page = connection(result.data)
    if (page == null) return
    const next = cursorOf(page, direction)
    if (next !== null && next === cursor) throw new Error(`The page after ${next} ends at the same place`)
    cursor = next
    yield { nodes: nodesOf(page, direction), cursor, data: result.data }
    if (cursor === null) return
  }
  throw new RangeError(`The list has more than ${maxPages} pages: set maxPages`)
}

function nodesOf<Node>(page: Connection<Node>, direction: 'forward' | 'backward'): readonly Node[] {
  const nodes = 'nodes' in page ? page.nodes : page.edges.map(({ node }) => node)
  return direction === 'forward' ? nodes : [...nodes].reverse()
}

/** Throws an Error if the document doesn't select what is needed: a mistake of the program. */
function cursorOf({ pageInfo }: Connection<unknown>, direction: 'forward' | 'backward'): string | null {
  const [more, cursor, needed] =
    direction === 'forward'
      ? [pageInfo.hasNextPage, pageInfo.endCursor, 'hasNextPage endCursor']
      : [pageInfo.hasPreviousPage, pageInfo.startCursor, 'hasPreviousPage startCursor']
  if (more === undefined || cursor === undefined) throw new Error(`Select pageInfo { ${needed} }`)
  return more ? cursor : null
}
