import type { MerchantId } from '@commerce-graph/contract/ids'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { Database } from './database.ts'
import { eachApart } from './each-apart.ts'

/** Merchants that one run looks after at most; the next run goes on. */
export const merchantsOfRun = 500

export interface OfMerchant {
  readonly merchantId: MerchantId
}

/**
 * Does what is due, for one merchant after the other, each in the merchant's scope: a statement that forgets the merchant finds no
 * other one's rows. What one merchant's work fails with is no other's (`eachApart`).
 *
 * @param due merchants with work, found across merchants; it may name some whose work is done meanwhile
 * @param work returns how much it did
 * @returns how much was done in all
 */
export const byMerchant = async (
  database: Database,
  due: PromiseLike<readonly OfMerchant[]>,
  work: (own: Database, merchantId: MerchantId) => Promise<number>,
): Promise<number> =>
  eachApart(await due, ({ merchantId }) => work(forMerchant(database, merchantId), merchantId))
