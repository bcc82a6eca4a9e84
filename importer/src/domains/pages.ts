import { z } from 'zod'
import type { CommerceApi } from '../api/commerce-api.ts'
import { ImportStopped, Unavailable } from '../api/api-error.ts'

const pageSize = 100
// A list that is longer than this is no list of categories, warehouses or one product's reviews.
const maxPages = 1_000

/**
 * Reads a whole connection, page by page.
 *
 * @param query a document with the variables `$first` and `$after` whose connection stands at `connectionAt`
 */
export async function readAll<T>(
  api: CommerceApi,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  connectionAt: (data: Readonly<Record<string, unknown>>) => unknown,
  node: z.ZodType<T>,
): Promise<T[]> {
  const connection = z.object({
    edges: z.array(z.object({ node })),
    pageInfo: z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullish() }),
  })
  const nodes: T[] = []
  let after: string | null = null
  for (let page = 0; page < maxPages; page++) {
    const { data, errors } = await api.send(
      query,
      { ...variables, first: pageSize, after },
      { repeatable: true },
    )
    if (errors[0] !== undefined) throw new Unavailable(errors[0].message)
    const { edges, pageInfo } = connection.parse(connectionAt(data))
    nodes.push(...edges.map((edge) => edge.node))
    if (!pageInfo.hasNextPage) return nodes
    after = pageInfo.endCursor ?? null
  }
  throw new ImportStopped(`more than ${maxPages * pageSize} items in a list that should be short`)
}
