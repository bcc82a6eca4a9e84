import type { Logger } from 'pino'

/** Notices that something unknown says where requests come from, which is believed of trusted proxies alone. */
export class UntrustedProxies {
  readonly #logger: Logger
  #seen: string | null = null

  constructor(logger: Logger) {
    this.#logger = logger
  }

  /** What is wrong, for an operator; null: no such request has come. */
  get problem(): string | null {
    return this.#seen === null
      ? null
      : `X-Forwarded-For comes from ${this.#seen}, which TRUSTED_PROXIES doesn't name: if it is a proxy of yours, all clients count as one address`
  }

  /** Told once, in the log. */
  notice(remoteAddress: string | undefined): void {
    if (this.#seen !== null) return
    this.#seen = remoteAddress ?? 'an unknown address'
    this.#logger.warn({ remoteAddress }, this.problem ?? '')
  }
}
