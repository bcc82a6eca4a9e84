import type { Logger } from 'pino'

/** Notices an X-Forwarded-For header from a peer that is not a trusted proxy. */
export class UntrustedProxies {
  readonly #logger: Logger
  #seen: string | null = null

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** A warning for operators; null if there was no such request. */
  get problem(): string | null {
    return this.#seen === null
      ? null
      : `X-Forwarded-For comes from ${this.#seen}, which TRUSTED_PROXIES doesn't name: if it is a proxy of yours, all clients count as one address`
  }

  /** Logs the first such peer, and only that one. */
  notice(remoteAddress: string | undefined): void {
    if (this.#seen !== null) return
    this.#seen = remoteAddress ?? 'an unknown address'
    this.#logger.warn({ remoteAddress }, this.problem ?? '')
  }
}
