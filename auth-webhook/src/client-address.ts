import { isIPv4 } from 'node:net'
import { isAllowed, parseAddress, type AllowList } from './allow-list.ts'

/**
 * The address that a request came from. In `X-Forwarded-For`, each proxy adds the address of its own peer. So this
 * function reads the header from the right, and only as far as the entries come from trusted proxies. It ignores
 * entries that a client has written itself.
 *
 * @returns an address as Postgres reads it, IPv4 ones as IPv4; undefined if there is no valid one
 * @param remoteAddress of the socket
 * @param forwardedFor the header's value, if any
 * @param trustedProxies networks whose entries are trusted
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

/** Some proxies add the port: `192.0.2.1:5678`, `[2001:db8::1]:443`. */
function withoutPort(hop: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]*)\](?::\d+)?|([^:]*):\d+)$/.exec(hop.trim()) ?? []
  return bracketed ?? plain ?? hop.trim()
}

function plainAddress(address: string | undefined): string | undefined {
  // Mostly it is one of IPv4 that is written as it should be, and a request need not wait for a parser.
  if (address !== undefined && isIPv4(address)) return address
  // A link-local address has a zone, which names our interface and not the caller's.
  return parseAddress(address)?.toString().replace(/%.*$/, '')
}
