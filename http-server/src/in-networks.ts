import { BlockList, isIP } from 'node:net'

/**
 * Returns a function that says whether an address is in one of the networks. An IPv4 address that came over an IPv6
 * socket (`::ffff:192.0.2.1`) counts as the IPv4 address.
 *
 * @param networks in CIDR's notation: `10.0.0.0/8`, `fd00::/8`
 */
export function inNetworks(networks: readonly string[]): (address: string | undefined) => boolean {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), familyOf(address))
  }
  return (address) => address !== undefined && isIP(address) !== 0 && list.check(address, familyOf(address))
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
