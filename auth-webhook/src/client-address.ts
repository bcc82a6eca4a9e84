import { isAllowed, type AllowList } from './allow-list.ts'

/**
 * The address that a request came from. `X-Forwarded-For` is what each proxy says of the one before it, so it is
 * read from the right and only as far as the speaker is one of the trusted proxies: whatever a client itself writes
 * into the header stays unread.
 *
 * @param remoteAddress of the socket
 * @param forwardedFor the header's value, if any
 * @param trustedProxies networks whose word is taken
 */
export function clientAddress(
  remoteAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: AllowList,
): string | undefined {
  if (forwardedFor === undefined || trustedProxies.length === 0) return remoteAddress
  const hops = [...forwardedFor.split(',').map((hop) => hop.trim()), remoteAddress]
  return hops.findLast((hop, index) => index === 0 || !isAllowed(trustedProxies, hop))
}
