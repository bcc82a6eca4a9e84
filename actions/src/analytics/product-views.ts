import type { MerchantId } from '@commerce-graph/contract/ids'
import { type Database, onlyOutcome } from '../database.ts'

export type ViewOutcome = { readonly outcome: 'recorded' } | { readonly outcome: 'unknown_product' }

/**
 * Counts a view of a product in the quarter of an hour that it is: one upsert, and no row more for the next view.
 *
 * @param onlySold a product that isn't for sale doesn't exist for the caller
 */
export async function recordView(
  database: Database,
  merchantId: MerchantId,
  productId: string,
  { onlySold }: { readonly onlySold: boolean },
): Promise<ViewOutcome> {
  return onlyOutcome(
    await database<{ outcome: ViewOutcome }[]>`
      SELECT analytics.record_view(${merchantId}, ${productId}, ${onlySold}) AS outcome`,
  )
}
