import { isIPv4, isIPv6 } from 'node:net'

/** Whether it is a single address, or a range in CIDR notation whose bits to the right of the prefix are zero. */
export function isNetwork(text: string): boolean {
  // Forms like ::1%eth0 are addresses to some, but not to Postgres.
  const [, address, prefix] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  if (address === undefined) return false
  const length = isIPv4(address) ? 32 : isIPv6(address) ? 128 : null
  if (length === null) return false
  if (prefix === undefined) return true
  const hostBits = length - Number(prefix)
  return hostBits >= 0 && (length === 32 ? ofIPv4(address) : ofIPv6(address)) % 2n ** BigInt(hostBits) === 0n
}

const ofIPv4 = (address: string): bigint =>
  address.split('.').reduce((number, octet) => number * 256n + BigInt(octet), 0n)

/** The last two groups may be written as an IPv4 address; `::` stands for as many zeros as are missing. */
function ofIPv6(address: string): bigint {
  const groups = (part: string): readonly bigint[] =>
    part
      .split(':')
      .filter((group) => group !== '')
      .flatMap((group) => {
        if (!group.includes('.')) return [BigInt(`0x${group}`)]
        const number = ofIPv4(group)
        return [number / 65_536n, number % 65_536n]
      })
  const [head = '', tail = ''] = address.split('::')
  const [first, last] = [groups(head), groups(tail)]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => 0n)
  return [...first, ...zeros, ...last].reduce((number, group) => number * 65_536n + group, 0n)
}
