import type { TypedDocumentNode } from '@graphql-typed-document-node/core'
import type { CommerceApi } from '../api/commerce-api.ts'
import { ImportStopped, Unavailable } from '../api/api-error.ts'

export const pageSize = 100
// No list of categories, warehouses or one product's reviews is longer than this.
const maxPages = 1_000

interface Page {
  readonly first: number
  readonly after: string | null
}

interface Connection<Node> {
  readonly edges: readonly { readonly node: Node }[]
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null }
}

interface Reading<Data, Variables, Node> {
  readonly document: TypedDocumentNode<Data, Variables>
  readonly variablesOf: (page: Page) => NoInfer<Variables>
  /** The connection; absent if its record is. */
  readonly connectionOf: (data: Data) => Connection<Node> | null | undefined
}

/**
 * Reads a whole connection, page by page.
 *
 * @throws Unavailable if a page has errors
 * @throws ImportStopped if the list is longer than the bound
 */
export async function readAll<Data, Variables extends Readonly<Record<string, unknown>>, Node>(
  api: CommerceApi,
  { document, variablesOf, connectionOf }: Reading<Data, Variables, Node>,
): Promise<Node[]> {
  const nodes: Node[] = []
  let after: string | null = null
  for (let page = 0; page < maxPages; page++) {
    const variables = variablesOf({ first: pageSize, after })
    const { data, errors } = await api.send(document, variables, { repeatable: true })
    if (errors[0] !== undefined) throw new Unavailable(errors[0].message)
    const connection = connectionOf(data)
    if (connection == null) return nodes
    nodes.push(...connection.edges.map((edge) => edge.node))
    if (!connection.pageInfo.hasNextPage) return nodes
    after = connection.pageInfo.endCursor
  }
  throw new ImportStopped(`more than ${maxPages * pageSize} items in a list that should be short`)
}
