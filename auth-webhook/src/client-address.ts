import { isAllowed, parseAddress, type AllowList } from './allow-list.ts'

/**
 * The address that a request came from. `X-Forwarded-For` is what each proxy says of the one before it, so it is
 * read from the right and only as far as the speaker is one of the trusted proxies: whatever a client itself writes
 * into the header stays unread.
 *
 * @returns an address as Postgres reads it, IPv4 ones as IPv4; undefined for what is none
 * @param remoteAddress of the socket
 * @param forwardedFor the header's value, if any
 * @param trustedProxies networks whose word is taken
 */
export function clientAddress(
  remoteAddress: string | undefined,
  forwardedFor: string | undefined,
  trustedProxies: AllowList,
): string | undefined {
  if (forwardedFor === undefined || trustedProxies.length === 0) return plainAddress(remoteAddress)
  const hops = [...forwardedFor.split(',').map((hop) => hop.trim()), remoteAddress]
  return plainAddress(hops.findLast((hop, index) => index === 0 || !isAllowed(trustedProxies, hop)))
}

// A link-local address has the interface behind it, which is ours and not the caller's.
const plainAddress = (address: string | undefined): string | undefined =>
  parseAddress(address)?.toString().replace(/%.*$/, '')
