import { z } from 'zod'
import type { CommerceApi } from '../api/commerce-api.ts'
import type { Field } from '../api/fields.ts'
import type { ProductRow, ReviewRow } from '../input/product-row.ts'
import { missing } from './missing.ts'
import { readAll } from './pages.ts'
import { live, type ProductTask } from './product-task.ts'
import { runMutations, runQueries, type Call } from './task.ts'

const reviews = `
  query Reviews($id: ID!, $first: Int, $after: String) {
    product(id: $id) {
      reviews(first: $first, after: $after) {
        edges { node { authorName rating title body } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`

const reviewNode = z.object({
  authorName: z.string(),
  rating: z.number(),
  title: z.string().nullish(),
  body: z.string().nullish(),
})

type PresentReview = z.infer<typeof reviewNode>

const productReviews = z.object({
  reviews: z.object({
    edges: z.array(z.object({ node: reviewNode })),
    pageInfo: z.object({ hasNextPage: z.boolean() }),
  }),
})

const reviewsOf = z.object({ reviews: z.unknown() })

/**
 * Writes the reviews that products lack. A review has no key of its own, so one that says the same in the same name is
 * taken for the same.
 */
export async function addReviews(api: CommerceApi, tasks: readonly ProductTask[]): Promise<void> {
  const present = await findReviews(api, tasks)
  const calls = live(tasks).flatMap((task) => {
    const identity = { ofWanted: reviewIdentity, ofPresent: reviewIdentity }
    return missing(task.row.reviews ?? [], present.get(task) ?? [], identity).map(
      ({ index, value }): Call<ProductRow> => ({
        task,
        at: `reviews.${index}`,
        field: createReview(task.id, value),
      }),
    )
  })
  await runMutations(api, calls)
}

// A product that was just created has none.
async function findReviews(
  api: CommerceApi,
  tasks: readonly ProductTask[],
): Promise<ReadonlyMap<ProductTask, readonly PresentReview[]>> {
  const found = new Map<ProductTask, readonly PresentReview[]>()
  const long: ProductTask[] = []
  const calls = tasks
    .filter(({ existing, row }) => existing !== undefined && (row.reviews ?? []).length > 0)
    .map((task): Call<ProductRow> => ({
      task,
      at: 'reviews',
      field: {
        name: 'product',
        arguments: { id: { type: 'ID', value: task.id } },
        selection: `reviews(first: 100) {
          edges { node { authorName rating title body } }
          pageInfo { hasNextPage }
        }`,
      },
      then(value) {
        const { edges, pageInfo } = productReviews.parse(value).reviews
        const nodes = edges.map(({ node }) => node)
        found.set(task, nodes)
        if (pageInfo.hasNextPage) long.push(task)
      },
    }))
  await runQueries(api, calls)
  for (const task of long) {
    const connectionAt = (data: Readonly<Record<string, unknown>>) => reviewsOf.parse(data.product).reviews
    found.set(task, await readAll(api, reviews, { id: task.id }, connectionAt, reviewNode))
  }
  return found
}

const reviewIdentity = ({ authorName, rating, title, body }: z.infer<typeof reviewNode>): string =>
  JSON.stringify([authorName, rating, title ?? '', body ?? ''])

const createReview = (productId: string, review: ReviewRow): Field => ({
  name: 'createReview',
  creates: true,
  arguments: { input: { type: 'CreateReviewInput!', value: { productId, ...review } } },
  selection: 'review { id } errors { field message code }',
})
