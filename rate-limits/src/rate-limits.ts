import type { Logger } from 'pino'
import { Guesses, HolderGuesses } from './guesses.ts'
import { Allowance } from './allowance.ts'
import { type Counters, memoryCounters, redisCounters } from './counters.ts'
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

export type Admission =
  | {
      readonly kind: 'admitted'
      readonly fields: RateLimitFields
      /** Takes back what was counted: the request is refused for something else. */
      readonly takeBack: () => void
    }
  | Exceeded

export interface RequestWeight {
  /** For how many requests it counts. */
  readonly weight: number
  /** How many of them were counted before. */
  readonly counted: number
}

export interface Exceeded {
  readonly kind: 'exceeded'
  readonly fields: RateLimitFields
  /** Whose it is: one shopper's share, that of all shoppers together, or the plan's. */
  readonly of: 'shopper' | 'shoppers' | 'plan'
  /** Which window, a minute's with its burst. */
  readonly window: 'minute' | 'hour'
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
  readonly guesses: Guesses
  /** Coupons that a shopper or a cart has tried in vain. */
  readonly couponGuesses: HolderGuesses
  readonly #settings: RateSettings
  readonly #counters: Counters
  readonly #plan: Allowance
  readonly #shoppers: Allowance
  readonly #shopper: Allowance

  constructor(settings: RateSettings, counters: Counters) {
    this.#settings = settings
    this.#counters = counters
    this.#plan = new Allowance(counters, '')
    this.#shoppers = new Allowance(counters, 'shoppers')
    this.#shopper = new Allowance(counters, 'shopper')
    this.couponGuesses = new HolderGuesses(counters.open('coupon', 3600), settings.couponGuessesPerHour)
    this.guesses = new Guesses(counters.open('guess', 60), settings.guessesPerMinute)
  }

  /** `ok`, or what is wrong. Requests are admitted and limited in either case. */
  get health(): string {
    return this.#counters.shared ? 'ok' : 'Redis is away: each process holds the limits for itself'
  }

  /** For how many requests one of such complexity counts. */
  weightOf(complexity: number): number {
    return Math.max(1, Math.ceil(complexity / this.#settings.complexityPerRequest))
  }

  /** The complexity of the heaviest request that the caller's rate can ever admit. */
  heaviest(caller: Caller): number {
    const { perHour, burst } = this.#ratesFor(caller)[0].rate
    return Math.min(burst, perHour ?? burst) * this.#settings.complexityPerRequest
  }

  /**
   * Counts a request, and says whether it is within its merchant's rate. One that isn't counts for nothing: a client that goes on
   * trying where a minute was meant doesn't wait for an hour, and a larger plan is there at once.
   */
  async admit(
    caller: Caller,
    { weight, counted }: RequestWeight = { weight: 1, counted: 0 },
  ): Promise<Admission> {
    const rates = this.#ratesFor(caller)
    const uses = await Promise.all(
      rates.map(async ({ of, allowance, key, rate }) => ({
        of,
        use: await allowance.use(key, rate, weight - counted),
      })),
    )
    const told = uses.filter(({ of }) => of !== 'shoppers').flatMap(({ use }) => use.limits)
    const fields = rateLimitFields(told, { complexity: this.#settings.complexityPerRequest, weight })
    const takeBack = (): void => {
      for (const { use } of uses) use.takeBack()
    }
    const over = uses.find(({ use }) => use.exceeded !== null)
    if (!over?.use.exceeded) return { kind: 'admitted', fields, takeBack }
    takeBack()
    const { exceeded: window, allowed, retryAfter } = over.use
    return { kind: 'exceeded', of: over.of, window, allowed, retryAfter, fields }
  }

  /** What the caller is held to, the narrowest first. */
  #ratesFor(caller: Caller): readonly [HeldTo, ...HeldTo[]] {
    const { merchantId: key, customerId } = caller
    const rate = this.#settings.merchants.get(key) ?? this.#settings.plans[caller.plan]
    const plan = { of: 'plan', allowance: this.#plan, key, rate } as const
    if (customerId === undefined) return [plan]
    const { shopperPerMinute, shopperShare, shoppersShare } = this.#settings
    const share = shareOf(rate, shopperShare)
    const perMinute = Math.min(shopperPerMinute, share.perMinute)
    return [
      {
        of: 'shopper',
        allowance: this.#shopper,
        key: `${key} ${customerId}`,
        rate: { ...share, perMinute, burst: perMinute },
      },
      { of: 'shoppers', allowance: this.#shoppers, key, rate: shareOf(rate, shoppersShare) },
      plan,
    ]
  }

  close(): void {
    this.#counters.close()
  }
}

interface HeldTo {
  readonly of: Exceeded['of']
  readonly allowance: Allowance
  readonly key: string
  readonly rate: Rate
}

/** So many hundredths of a rate, one request at least. */
function shareOf({ perHour, perMinute, burst }: Rate, percent: number): Rate {
  const part = (requests: number): number => Math.max(1, Math.floor((requests * percent) / 100))
  return { perHour: perHour === null ? null : part(perHour), perMinute: part(perMinute), burst: part(burst) }
}
