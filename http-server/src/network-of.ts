import { isIPv4, isIPv6 } from 'node:net'

/**
 * An IPv6 network has four of an address's eight groups: a host has a /64, and could use each of its addresses once.
 */
const networkGroups = 4

/**
 * The unit by which clients are counted: the IPv4 address, or the IPv6 network (/64). Undefined when the text is no
 * address.
 */
export function networkOf(address: string | undefined): string | undefined {
  if (address === undefined || isIPv4(address)) return address
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return undefined
  const groups = groupsOf(plain)
  const mapped = groups.slice(0, 6).join(':') === '0:0:0:0:0:ffff'
  return mapped ? ipv4Of(groups.slice(6)) : canonical(`${groups.slice(0, networkGroups).join(':')}::`)
}

/** As URLs write it: lower case, no leading zeros, IPv4 endings as groups. */
const canonical = (address: string): string => new URL(`http://[${address}]`).hostname.slice(1, -1)

function groupsOf(address: string): readonly string[] {
  const [head = '', tail] = canonical(address).split('::')
  const [first, last] = [head, tail ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const missing = 8 - (first?.length ?? 0) - (last?.length ?? 0)
  return [...(first ?? []), ...Array.from({ length: missing }, () => '0'), ...(last ?? [])]
}

const ipv4Of = (groups: readonly string[]): string =>
  groups
    .map((group) => Number.parseInt(group, 16))
    .flatMap((value) => [value >> 8, value & 255])
    .join('.')
