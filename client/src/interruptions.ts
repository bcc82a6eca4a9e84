import { backoffMs } from './retry-policy.ts'

const reconnectPolicy = { retries: Infinity, firstDelayMs: 500, maxDelayMs: 15_000 }

/** A connection that was never made is given up sooner: the address is probably wrong. */
export const firstConnectionMs = 30_000

/**
 * A subscription that ran for this long worked, although it may have had nothing to send. The server keeps one for about 16 seconds
 * while a part of it is away, so a shorter run proves nothing.
 */
const workedAfterMs = 30_000

/** How long a subscription has been away, and what was tried to bring it back. All times are milliseconds. */
export class Interruptions {
  readonly #reconnectForMs: number
  #patienceMs: number
  #awaySince: number | null
  #failures = 0
  #renewed = false

  constructor(reconnectForMs: number, now: number) {
    this.#reconnectForMs = reconnectForMs
    this.#patienceMs = Math.min(firstConnectionMs, reconnectForMs)
    this.#awaySince = now
  }

  /** Whether other tokens were gotten since the subscription worked. If they are refused as well, others would be, too. */
  get renewed(): boolean {
    return this.#renewed
  }

  renew(): void {
    this.#renewed = true
  }

  /** Data have arrived. */
  worked(): void {
    this.#patienceMs = this.#reconnectForMs
    this.#awaySince = null
    this.#failures = 0
    this.#renewed = false
  }

  /** The subscription was lost. `ranMs` is how long it ran, or null if the server had not accepted the connection. */
  lost(ranMs: number | null, now: number): void {
    if (ranMs !== null) this.#patienceMs = this.#reconnectForMs
    if (ranMs !== null && ranMs >= workedAfterMs) this.worked()
    this.#awaySince ??= now
  }

  /**
   * How long to wait before the next attempt; null if the subscription was away for too long.
   *
   * @param random from 0 to 1
   */
  nextDelay(now: number, random: number): number | null {
    if (this.#awaySince !== null && now - this.#awaySince > this.#patienceMs) return null
    this.#failures += 1
    return backoffMs(reconnectPolicy, this.#failures, random)
  }
}
