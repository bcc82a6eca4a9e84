import type { Logger } from 'pino'
import { AddressGuesses } from './address-guesses.ts'
import { type Count, type Counter, type Counters, memoryCounters, redisCounters } from './counters.ts'
import { type RateLimitFields, rateLimitFields } from './rate-limit-fields.ts'
import type { Plan, Rate, RateSettings } from './rates.ts'

/** Whose request it is. */
export interface Caller {
  readonly merchantId: string
  /** The one that the merchant has at this moment. */
  readonly plan: Plan
  /** Of a shopper. */
  readonly customerId?: string
}

export type Admission = { readonly kind: 'admitted'; readonly fields: RateLimitFields } | Exceeded

export interface Exceeded {
  readonly kind: 'exceeded'
  readonly fields: RateLimitFields
  /** Which of them: a shopper's own share, the plan's minute with its burst, or the plan's hour. */
  readonly limit: 'shopper' | 'minute' | 'hour'
  /** How many requests that is. */
  readonly allowed: number
  /** Seconds until the next one is admitted. */
  readonly retryAfter: number
}

export interface RateLimitsOptions {
  readonly settings: RateSettings
  /** Counts are shared through it by all processes; without it there is only this one. */
  readonly redisUrl?: string | undefined
  readonly logger: Logger
}

const minuteSeconds = 60
const hourSeconds = 3600

/** Holds every merchant to its plan's rate. Waits for Redis for two seconds at most, and goes on without it. */
export async function createRateLimits({
  settings,
  redisUrl,
  logger,
}: RateLimitsOptions): Promise<RateLimits> {
  const counters = redisUrl === undefined ? memoryCounters() : await redisCounters(redisUrl, logger)
  return new RateLimits(settings, counters)
}

export class RateLimits {
  readonly guesses: AddressGuesses
  readonly #settings: RateSettings
  readonly #counters: Counters
  readonly #shopper: Counter
  readonly #minute: Counter
  readonly #burst: Counter
  readonly #hour: Counter

  constructor(settings: RateSettings, counters: Counters) {
    this.#settings = settings
    this.#counters = counters
    this.#shopper = counters.open('shopper', minuteSeconds)
    this.#minute = counters.open('minute', minuteSeconds)
    this.#burst = counters.open('burst', hourSeconds)
    this.#hour = counters.open('hour', hourSeconds)
    this.guesses = new AddressGuesses(counters.open('guess', minuteSeconds), settings.guessesPerMinute)
  }

  /** `ok`, or what is wrong. Requests are admitted and limited in either case. */
  get health(): string {
    return this.#counters.shared ? 'ok' : 'Redis is away: each process holds the limits for itself'
  }

  /**
   * Counts a request, and says whether it is within its merchant's rate. One that isn't counts for nothing: who goes on
   * trying where a minute was meant doesn't wait for an hour, and a larger plan is there at once.
   */
  async admit(caller: Caller): Promise<Admission> {
    const rate = this.#settings.merchants.get(caller.merchantId) ?? this.#settings.plans[caller.plan]
    if (caller.customerId !== undefined) {
      const exceeded = await this.#shopperExceeds(caller.merchantId, caller.customerId)
      if (exceeded) return exceeded
    }
    return this.#admitMerchant(caller.merchantId, rate)
  }

  async #shopperExceeds(merchantId: string, customerId: string): Promise<Exceeded | null> {
    const { shopperPerMinute: allowed } = this.#settings
    const shopper = `${merchantId} ${customerId}`
    const { counted, secondsLeft } = await this.#shopper.count(shopper)
    if (counted <= allowed) return null
    this.#shopper.takeBack(shopper)
    const fields = rateLimitFields([
      { name: 'shopper', quota: allowed, window: minuteSeconds, remaining: 0, secondsLeft },
    ])
    return { kind: 'exceeded', limit: 'shopper', allowed, retryAfter: secondsLeft, fields }
  }

  async #admitMerchant(merchantId: string, rate: Rate): Promise<Admission> {
    const { perMinute, perHour } = rate
    const [minute, hour] = await Promise.all([
      this.#minute.count(merchantId),
      perHour === null ? null : this.#hour.count(merchantId),
    ])
    const burst = minute.counted > perMinute ? await this.#burst.count(merchantId) : null
    const fields = fieldsOf(rate, minute, burst, hour)
    const exceeded = exceededBy(rate, minute, burst, hour)
    if (exceeded === null) return { kind: 'admitted', fields }
    this.#minute.takeBack(merchantId)
    if (burst !== null) this.#burst.takeBack(merchantId)
    if (hour !== null) this.#hour.takeBack(merchantId)
    return { kind: 'exceeded', ...exceeded, fields }
  }

  close(): void {
    this.#counters.close()
  }
}

function exceededBy(
  { perMinute, perHour, burst: most }: Rate,
  minute: Count,
  burst: Count | null,
  hour: Count | null,
): Pick<Exceeded, 'limit' | 'allowed' | 'retryAfter'> | null {
  if (perHour !== null && hour !== null && hour.counted > perHour)
    return { limit: 'hour', allowed: perHour, retryAfter: hour.secondsLeft }
  if (burst !== null && burst.counted > most - perMinute)
    return { limit: 'minute', allowed: perMinute, retryAfter: minute.secondsLeft }
  return null
}

function fieldsOf(
  { perMinute, perHour, burst: most }: Rate,
  minute: Count,
  burst: Count | null,
  hour: Count | null,
): RateLimitFields {
  return rateLimitFields([
    {
      name: 'minute',
      quota: perMinute,
      window: minuteSeconds,
      remaining: perMinute - minute.counted,
      secondsLeft: minute.secondsLeft,
    },
    {
      name: 'burst',
      quota: most,
      window: minuteSeconds,
      ...(burst !== null && { remaining: most - perMinute - burst.counted, secondsLeft: minute.secondsLeft }),
    },
    ...(perHour === null || hour === null
      ? []
      : [
          {
            name: 'hour',
            quota: perHour,
            window: hourSeconds,
            remaining: perHour - hour.counted,
            secondsLeft: hour.secondsLeft,
          },
        ]),
  ])
}
