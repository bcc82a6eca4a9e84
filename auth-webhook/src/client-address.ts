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
  const hops = [...forwardedFor.split(',').map(withoutPort), remoteAddress]
  return plainAddress(hops.findLast((hop, index) => index === 0 || !isAllowed(trustedProxies, hop)))
}

/** Some proxies write the port, too: `192.0.2.1:5678`, `[2001:db8::1]:443`. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(hop.trim()) ?? []
  return bracketed ?? plain ?? hop.trim()
}

// A link-local address has the interface behind it, which is ours and not the caller's.
const plainAddress = (address: string | undefined): string | undefined =>
  parseAddress(address)?.toString().replace(/%.*$/, '')
