import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import { place, placed, type LinkKind } from '../messaging/compose/index.ts'

/** Over plain HTTP, others on the way read the token; a page on one's own machine has no way. */
const ownMachine = /^(localhost|127\.0\.0\.1|\[::1\])$/

/**
 * The fault of a link, in words for its author; null if the link is valid. A link never contains parts of a request.
 */
export function linkFault(link: string): string | null {
  if (/[\s\\\p{C}]/u.test(link)) return 'A link has no spaces, backslashes or control characters'
  if (link.split(place).length !== 2) return `A link has ${place} in it, once, where the token goes`
  // With a token of another form, so that what depends on it is seen.
  const url = URL.parse(placed(link, 'a'))
  if (url === null)
    return 'A link is an absolute URL, like https://shop.example.com/reset-password?token={token}'
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && ownMachine.test(url.hostname))) {
    return 'A link begins with https://'
  }
  if (url.username !== '' || url.password !== '') return 'A link names no user'
  if (url.host !== URL.parse(placed(link, 'b'))?.host) return `${place} stands behind the host`
  return null
}

/** Says where a kind's link leads; null: nowhere, and the mail shows the token itself. */
export async function setLink(
  database: Database,
  merchantId: MerchantId,
  kind: LinkKind,
  url: string | null,
): Promise<void> {
  if (url === null) {
    await database`DELETE FROM email.link WHERE merchant_id = ${merchantId} AND kind = ${kind}`
    return
  }
  await database`
    INSERT INTO email.link (merchant_id, kind, url) VALUES (${merchantId}, ${kind}, ${url})
    ON CONFLICT (merchant_id, kind) DO UPDATE SET url = excluded.url`
}
