import ipaddr from 'ipaddr.js'

type Address = ReturnType<typeof ipaddr.parse>
type Network = readonly [Address, number]

/** The networks of a merchant whose allow-list is switched on. An empty one refuses every client. */
export type AllowList = readonly Network[]

/** Reads networks as Postgres prints `cidr` values: `203.0.113.0/24`, `2001:db8::/32`. */
export const parseAllowList = (networks: readonly string[]): AllowList =>
  networks.map((network) => ipaddr.parseCIDR(network))

/** Whether the address is on the list. An address that can't be read is on no list. */
export function isAllowed(allowList: AllowList, address: string | undefined): boolean {
  const caller = parseAddress(address)
  if (caller === undefined) return false
  return allowList.some(([network, bits]) => contains(network, bits, caller))
}

/** An IPv4 address over an IPv6 socket (`::ffff:192.0.2.1`) counts as the IPv4 address. */
export function parseAddress(text: string | undefined): Address | undefined {
  if (text === undefined || !ipaddr.isValid(text)) return undefined
  return ipaddr.process(text)
}

const contains = (network: Address, bits: number, caller: Address): boolean =>
  network.kind() === caller.kind() && caller.match(network, bits)
