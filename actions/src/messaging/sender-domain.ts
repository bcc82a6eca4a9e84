import type { KeyObject } from 'node:crypto'
import { domainToASCII } from 'node:url'

/** The key that mails are signed with (RFC 6376). Its public half is in the DNS of each domain that mails come from. */
export interface DkimKey {
  readonly selector: string
  readonly privateKey: KeyObject
}

/** The domain of an address as DNS has it; null if DNS can't have it. */
export function domainOf(address: string): string | null {
  const domain = domainToASCII(address.slice(address.lastIndexOf('@') + 1)).toLowerCase()
  const isName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(domain) && !/^[\d.]+$/.test(domain)
  return isName && domain.length <= longestDomain ? domain : null
}

/** With the longest name in front of it, a DNS name has 253 characters. */
const longestDomain = 200
