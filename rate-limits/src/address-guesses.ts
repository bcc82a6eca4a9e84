import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import type { Counter } from './counters.ts'

/** Addresses that are remembered as having guessed too often. */
const maxBlocked = 10_000

/**
 * Wrong keys, tokens, passwords and codes by the address they come from. Counting is what costs, and only the guesses
 * are counted: to see whether an address may go on asks nobody but this process, which hears of a block with the
 * first guess that it counts itself.
 */
export class AddressGuesses {
  readonly #counter: Counter
  readonly #bound: number
  /** By network: when it may try again, in milliseconds since 1970. */
  readonly #blocked = new LRUCache<string, number>({ max: maxBlocked })

  /** @param bound guesses of an address in a window of the counter */
  constructor(counter: Counter, bound: number) {
    this.#counter = counter
    this.#bound = bound
  }

  /** Seconds until the address may try something again that could be a guess; 0: now. */
  secondsToWait(address: string | undefined): number {
    // Most of the time nobody is blocked, and then an address needn't be read.
    if (this.#blocked.size === 0) return 0
    const until = this.#blocked.get(networkOf(address))
    return until === undefined ? 0 : Math.max(0, Math.ceil((until - Date.now()) / 1000))
  }

  /** Counts a guess that was wrong. */
  async count(address: string | undefined): Promise<void> {
    const network = networkOf(address)
    const { counted, secondsLeft } = await this.#counter.count(network)
    if (counted >= this.#bound) this.#blocked.set(network, Date.now() + secondsLeft * 1000)
  }
}

/** An IPv6 host has a /64 to itself, and could call from each of its addresses once. */
const hostBits = 64

/** Whom an address stands for: the IPv4 address, the IPv6 network, or everybody whose address can't be read. */
function networkOf(address: string | undefined): string {
  if (address === undefined || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (!(parsed instanceof ipaddr.IPv6)) return parsed.toString()
  return ipaddr.IPv6.networkAddressFromCIDR(`${parsed.toString()}/${hostBits}`).toString()
}
