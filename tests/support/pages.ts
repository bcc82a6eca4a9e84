import { z } from 'zod'
import type { Answer, Client } from './graphql-client.ts'
import { succeeded } from './shop.ts'

/**
 * All nodes of a list, read page by page as a client does.
 *
 * @param field the list's root field
 * @param selection of the node
 */
export async function readAllPages<Node>(
  client: Client,
  field: string,
  selection: string,
  node: z.ZodType<Node>,
): Promise<{ readonly totalCount: number; readonly nodes: readonly Node[] }> {
  const connection = z.object({
    totalCount: z.number(),
    edges: z.array(z.object({ node })),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() }),
  })
  const query = `query ($after: String) {
    ${field}(first: 50, after: $after) {
      totalCount edges { node { ${selection} } } pageInfo { hasNextPage endCursor }
    }
  }`
  const nodes: Node[] = []
  let after: string | null = null
  for (;;) {
    const answer: Answer<Readonly<Record<string, unknown>>> = await client(query, { after })
    const { totalCount, edges, pageInfo } = connection.parse(succeeded(answer)[field])
    nodes.push(...edges.map((edge) => edge.node))
    if (!pageInfo.hasNextPage) return { totalCount, nodes }
    after = pageInfo.endCursor
  }
}
