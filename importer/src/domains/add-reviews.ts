import { creation, field } from '../api/batch.ts'
import type { CommerceApi } from '../api/commerce-api.ts'
import {
  CreateReviewDocument,
  ProductReviewsDocument,
  type ProductReviewsQuery,
} from '../generated/operations.ts'
import type { ReviewRow } from '../input/product-row.ts'
import { missing } from './missing.ts'
import { pageSize, readAll } from './pages.ts'
import { live, type ProductTask } from './product-task.ts'
import { runMutations, runQueries } from './task.ts'

type PresentReviews = NonNullable<NonNullable<ProductReviewsQuery['product']>['reviews']>
type PresentReview = PresentReviews['edges'][number]['node']

/**
 * Creates the reviews that products lack. A review has no key, so one with the same author and text counts as the
 * same.
 */
export async function addReviews(api: CommerceApi, tasks: readonly ProductTask[]): Promise<void> {
  const present = await findReviews(api, tasks)
  const calls = live(tasks).flatMap((task) => {
    const identity = { ofWanted: reviewIdentity, ofPresent: reviewIdentity }
    return missing(task.row.reviews ?? [], present.get(task) ?? [], identity).map(({ index, value }) => ({
      task,
      at: `reviews.${index}`,
      field: creation(CreateReviewDocument, { input: { productId: task.id, ...value } }),
    }))
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
    .map((task) => ({
      task,
      at: 'reviews',
      field: field(ProductReviewsDocument, { id: task.id, first: pageSize }),
      then(product: ProductReviewsQuery['product']) {
        const nodes = product?.reviews?.edges.map(({ node }) => node)
        found.set(task, nodes ?? [])
        if (product?.reviews?.pageInfo.hasNextPage === true) long.push(task)
      },
    }))
  await runQueries(api, calls)
  for (const task of long) {
    const all = await readAll(api, {
      document: ProductReviewsDocument,
      variablesOf: (page) => ({ id: task.id, ...page }),
      connectionOf: (data) => data.product?.reviews,
    })
    found.set(task, all)
  }
  return found
}

const reviewIdentity = ({ authorName, rating, title, body }: ReviewRow | PresentReview): string =>
  JSON.stringify([authorName, rating, title ?? '', body ?? ''])
