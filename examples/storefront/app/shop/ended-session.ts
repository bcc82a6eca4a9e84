import { browserShop } from './browser-shop.ts'
import { visit } from './visit.ts'

/**
 * When a session ends, the client deletes its tokens, and asks with the key again. Then the visit is a stranger's, too: the cart has a
 * secret, the checkout asks for an e-mail address, and signing in takes the cart along. Returns whether a session has ended.
 */
export async function leaveEndedSession(): Promise<boolean> {
  if (visit.read().caller === undefined || (await browserShop().tokens.read()) !== null) return false
  visit.change({ caller: undefined, customerId: undefined })
  return true
}
