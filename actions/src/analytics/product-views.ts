import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import * as analytics from '../sql/generated/analytics.ts'

/**
 * Counts a view of a product in the quarter of an hour that it is: one upsert, and no row more for the next view.
 *
 * @param onlySold a product that isn't for sale doesn't exist for the caller
 */
export const recordView = async (
  database: Database,
  merchantId: MerchantId,
  productId: string,
  { onlySold }: { readonly onlySold: boolean },
): Promise<analytics.RecordViewAnswer> => analytics.recordView(database, { merchantId, productId, onlySold })
