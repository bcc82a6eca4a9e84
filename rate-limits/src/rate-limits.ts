import type { Logger } from 'pino'
import { Guesses, HolderGuesses } from './guesses.ts'
import { Allowance } from './allowance.ts'
import { type Counters, memoryCounters, redisCounters } from './counters.ts'
import { type RateLimitFields, rateLimitFields } from './rate-limit-fields.ts'
import type { Plan, Rate, RateSettings } from './rates.ts'

/** The merchant, and the shopper if any, that a request is counted for. */
export interface Caller {
  readonly merchantId: string
  /** The merchant's plan at this moment. */
  readonly plan: Plan
  /** The holder of a share of the merchant's rate: a shopper, or the network of guests. */
  readonly shopper?: string
  /** The requests are the platform's own: they are always admitted, and count for nothing. */
  readonly uncounted?: true
}

export type Admission =
  | {
      readonly kind: 'admitted'
      /** Empty for a caller whose requests don't count. */
      readonly fields: RateLimitFields | Readonly<Record<string, never>>
      /** Subtracts the request from the counts, for a request that is refused for another reason. */
      readonly takeBack: () => void
    }
  | Exceeded

export interface RequestWeight {
  /** How many requests this one counts as. */
  readonly weight: number
  /** How many of them were counted earlier. */
  readonly counted: number
}

export interface Exceeded {
  readonly kind: 'exceeded'
  readonly fields: RateLimitFields
  /** Which limit was exceeded: one shopper's share, the share of all shoppers, or the plan's rate. */
  readonly of: 'shopper' | 'shoppers' | 'plan'
  /** The exceeded window. The minute includes its burst. */
  readonly window: 'minute' | 'hour'
  /** The limit of that window, in requests. */
  readonly allowed: number
  /** Seconds until the next one is admitted. */
  readonly retryAfter: number
}

export interface RateLimitsOptions {
  readonly settings: RateSettings
  /** A Redis through which all processes share the counts. Without it, this process counts alone. */
  readonly redisUrl?: string | undefined
  readonly logger: Logger
}

/** Opens the limits. Waits for Redis for two seconds at most, and goes on without it. */
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
  /** Wrong coupons of a shopper, a network or a cart. */
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

  /** `ok`, or what is wrong. Requests are counted and limited in both cases. */
  get health(): string {
    return this.#counters.shared ? 'ok' : 'Redis is away: each process holds the limits for itself'
  }

  /** How many requests one of this complexity counts as. */
  weightOf(complexity: number): number {
    return Math.max(1, Math.ceil(complexity / this.#settings.complexityPerRequest))
  }

  /** The complexity of the heaviest request that the caller's rate can ever admit. */
  heaviest(caller: Caller): number {
    if (caller.uncounted) return Infinity
    const { perHour, burst } = this.#ratesFor(caller)[0].rate
    return Math.min(burst, perHour ?? burst) * this.#settings.complexityPerRequest
  }

  /**
   * Counts a request, and says whether it is within its merchant's rate. A refused request counts for nothing: a client
   * that exceeds the minute's limit is refused for that minute, not for the hour, and a larger plan takes effect at
   * once.
   */
  async admit(
    caller: Caller,
    { weight, counted }: RequestWeight = { weight: 1, counted: 0 },
  ): Promise<Admission> {
    if (caller.uncounted) return { kind: 'admitted', fields: {}, takeBack: () => undefined }
    const rates = this.#ratesFor(caller)
    const uses = await Promise.all(
      rates.map(async ({ of, allowance, key, rate }) => ({
        of,
        use: await allowance.use(key, rate, weight - counted),
      })),
    )
    const visibleLimits = uses.filter(({ of }) => of !== 'shoppers').flatMap(({ use }) => use.limits)
    const fields = rateLimitFields(visibleLimits, { complexity: this.#settings.complexityPerRequest, weight })
    const takeBack = (): void => {
      for (const { use } of uses) use.takeBack()
    }
    const over = uses.find(({ use }) => use.exceeded !== null)
    if (!over?.use.exceeded) return { kind: 'admitted', fields, takeBack }
    takeBack()
    const { exceeded: window, allowed, retryAfter } = over.use
    return { kind: 'exceeded', of: over.of, window, allowed, retryAfter, fields }
  }

  /** The limits that apply to the caller, the narrowest first. */
  #ratesFor(caller: Caller): readonly [HeldTo, ...HeldTo[]] {
    const { merchantId: key, shopper } = caller
    const rate = this.#settings.merchants.get(key) ?? this.#settings.plans[caller.plan]
    const plan = { of: 'plan', allowance: this.#plan, key, rate } as const
    if (shopper === undefined) return [plan]
    const { shopperPerMinute, shopperShare, shoppersShare } = this.#settings
    const share = shareOf(rate, shopperShare)
    const perMinute = Math.min(shopperPerMinute, share.perMinute)
    return [
      {
        of: 'shopper',
        allowance: this.#shopper,
        key: `${key} ${shopper}`,
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

/** A percentage of a rate, but at least one request. */
function shareOf({ perHour, perMinute, burst }: Rate, percent: number): Rate {
  const part = (requests: number): number => Math.max(1, Math.floor((requests * percent) / 100))
  return { perHour: perHour === null ? null : part(perHour), perMinute: part(perMinute), burst: part(burst) }
}
