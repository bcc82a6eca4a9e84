import { lookup as resolve } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { inNetworks } from '@commerce-graph/http-server'
import ipaddr from 'ipaddr.js'

/** Which addresses webhooks may be sent to. */
export interface AddressRules {
  /** A live deployment sends over https only, and to public addresses only. A test deployment sends anywhere. */
  readonly live: boolean
  /** Networks of the operator's that have public addresses: CIDR. They are refused in a live deployment as well. */
  readonly refusedNetworks: readonly string[]
}

/**
 * Whether an address is one of the public internet. Everything else is refused: private, loopback, link-local, shared (CGNAT), documentation
 * and multicast addresses, and IPv6 addresses that stand for an IPv4 address behind a translator (NAT64, 6to4, Teredo). An IPv4 address
 * that is mapped into IPv6 counts as itself.
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  if (address.range() !== 'unicast') return false
  // Of IPv6, IANA has given away 2000::/3 only.
  return address.kind() === 'ipv4' || address.match(ipaddr.parseCIDR('2000::/3'))
}

export function addressCheck({ live, refusedNetworks }: AddressRules): (address: string) => boolean {
  if (!live) return () => true
  const refused = inNetworks(refusedNetworks)
  return (address) => isPublicAddress(address) && !refused(ipaddr.process(address).toString())
}

/** Why no webhook can be sent to the URL; null: it can, as far as the URL says. */
export function urlFault(text: string, rules: AddressRules): string | null {
  const url = URL.parse(text)
  if (url === null) return 'This is no URL'
  if (url.hash !== '') return 'A URL with a fragment can’t be called: leave out what follows #'
  if (!rules.live) return null
  if (url.protocol !== 'https:') return 'Webhooks are sent over https only'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const isInside =
    isIP(host) === 0 ? /(^|\.)(localhost|local|internal)\.?$/.test(host) : !addressCheck(rules)(host)
  return isInside ? 'The host is no public address' : null
}

export class RefusedAddressError extends Error {
  constructor(hostname: string, address: string) {
    super(`${hostname} leads to ${address}, which is no public address`)
  }
}

/**
 * Resolves a host's name once, and lets only checked addresses through to the socket that is opened: a name that leads elsewhere the next
 * moment gains nothing. One address that is refused refuses the host.
 */
export const checkedLookup =
  (isAllowed: (address: string) => boolean): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const refused = error === null ? addresses.find(({ address }) => !isAllowed(address)) : undefined
      const [first] = addresses
      if (error !== null || first === undefined)
        callback(error ?? new Error(`${hostname} has no address`), '')
      else if (refused !== undefined) callback(new RefusedAddressError(hostname, refused.address), '')
      else if (options.all === true) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
