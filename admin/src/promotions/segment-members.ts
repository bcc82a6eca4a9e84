import { ask } from '../api/api.ts'
import {
  PromotionSegmentMembersDocument,
  type PromotionSegmentMembersQuery,
} from '../generated/operations.ts'

/** As many as the API takes for one promotion. */
export const maxCustomers = 1_000

/** As many as the API gives at once. */
const pageSize = 100

type Members = NonNullable<PromotionSegmentMembersQuery['customerSegment']>['members']

/**
 * The ids of the customers who are in a segment now; none if there is no such segment any more. It stops once there are more
 * than a promotion takes. Throws RequestFailed.
 */
export async function membersOf(segmentId: string): Promise<readonly string[]> {
  const found: string[] = []
  let after: string | null = null
  do {
    const page = await pageOf(segmentId, after)
    found.push(...(page?.nodes.map(({ id }) => id) ?? []))
    after = page?.pageInfo.hasNextPage === true ? page.pageInfo.endCursor : null
  } while (after !== null && found.length <= maxCustomers)
  return found
}

async function pageOf(id: string, after: string | null): Promise<Members | null> {
  const { customerSegment } = await ask(PromotionSegmentMembersDocument, { id, first: pageSize, after })
  return customerSegment?.members ?? null
}
