import { z } from 'zod'

export type Plan = 'FREE' | 'STARTER' | 'PRO' | 'ENTERPRISE'

/** How many requests a merchant may send, over all of its keys, users and shoppers. */
export interface Rate {
  /** Null: requests by hour are not limited. */
  readonly perHour: number | null
  readonly perMinute: number
  /** The most requests in any minute. Those beyond `perMinute` come from an hourly allowance of `burst - perMinute`. */
  readonly burst: number
}

export interface RateSettings {
  readonly plans: Readonly<Record<Plan, Rate>>
  /** Rates that were agreed with single merchants, by merchant id. They take precedence over the plan's. */
  readonly merchants: ReadonlyMap<string, Rate>
  /** The most requests of one shopper in a minute. */
  readonly shopperPerMinute: number
  /** The most that one shopper may use of the merchant's minute and hour, in percent. */
  readonly shopperShare: number
  /** The most that all shoppers together may use of it, in percent. The rest stays available to keys and users. */
  readonly shoppersShare: number
  /** The complexity that counts as one request: a request of three times this complexity counts as three. */
  readonly complexityPerRequest: number
  /** How many wrong passwords and codes a client may try at one merchant in a minute. */
  readonly guessesPerMinute: number
  /** How many wrong coupons a shopper, or a cart, may try in an hour. */
  readonly couponGuessesPerHour: number
}

/**
 * The environment variables of the rates, and their defaults, written `per hour/per minute/burst`. Free and Pro are
 * from the specification's table ("Rate limits"). That table has no row for Starter, and its numbers for Enterprise are
 * "custom", so both are open points (docs/open-points.md). Enterprise's default is more than a process serves: it only
 * bounds a client that is out of control. An agreed number goes into LIMIT_RATE_ENTERPRISE or LIMIT_RATE_CUSTOM.
 */
export const rateVariables = {
  LIMIT_RATE_FREE: '1000/50/100',
  LIMIT_RATE_STARTER: '5000/250/500',
  LIMIT_RATE_PRO: '10000/500/1000',
  LIMIT_RATE_ENTERPRISE: 'unlimited/300000/600000',
  LIMIT_RATE_CUSTOM: '',
  LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '300',
  LIMIT_SHOPPER_SHARE: '40',
  LIMIT_SHOPPERS_SHARE: '80',
  LIMIT_RATE_COMPLEXITY: '1000',
  LIMIT_GUESSES_PER_MINUTE: '100',
  LIMIT_COUPON_GUESSES_PER_HOUR: '20',
} as const satisfies Readonly<Record<string, string>>

type RateVariable = keyof typeof rateVariables

const maxRequests = 1_000_000_000
const count = z.string().regex(/^\d+$/).transform(Number).pipe(z.int().min(1).max(maxRequests))

const percent = count.pipe(z.int().max(100))

const rate = z
  .string()
  .transform((text) => text.trim().split('/'))
  .pipe(z.tuple([z.union([z.literal('unlimited').transform(() => null), count]), count, count]))
  .transform(([perHour, perMinute, burst]): Rate => ({ perHour, perMinute, burst }))
  .refine(({ perMinute, burst }) => burst >= perMinute)

const custom = z
  .string()
  .transform((text) => (text === '' ? [] : text.split(',').map((entry) => entry.trim().split('='))))
  .pipe(z.array(z.tuple([z.guid().toLowerCase(), rate])).max(10_000))
  .transform((entries): ReadonlyMap<string, Rate> => new Map(entries))

const form =
  'per hour/per minute/burst, like 10000/500/1000 or unlimited/500/1000, the burst at least a minute'

/** @throws Error that names the variable whose value can't be read: a limit with a typo would limit nothing */
export function ratesFrom(environment: Readonly<Record<string, string | undefined>>): RateSettings {
  function read<T>(variable: RateVariable, schema: z.ZodType<T>, expected: string): T {
    const text = environment[variable] ?? rateVariables[variable]
    const parsed = schema.safeParse(text)
    if (!parsed.success) throw new Error(`${variable} must be ${expected}; "${text}" is not`)
    return parsed.data
  }
  const number = 'a whole number of at least 1'
  const hundredths = 'a whole number from 1 to 100'
  return {
    plans: {
      FREE: read('LIMIT_RATE_FREE', rate, form),
      STARTER: read('LIMIT_RATE_STARTER', rate, form),
      PRO: read('LIMIT_RATE_PRO', rate, form),
      ENTERPRISE: read('LIMIT_RATE_ENTERPRISE', rate, form),
    },
    merchants: read('LIMIT_RATE_CUSTOM', custom, `<merchant's id>=${form}; several separated by commas`),
    shopperPerMinute: read('LIMIT_SHOPPER_REQUESTS_PER_MINUTE', count, number),
    shopperShare: read('LIMIT_SHOPPER_SHARE', percent, hundredths),
    shoppersShare: read('LIMIT_SHOPPERS_SHARE', percent, hundredths),
    complexityPerRequest: read('LIMIT_RATE_COMPLEXITY', count, number),
    couponGuessesPerHour: read('LIMIT_COUPON_GUESSES_PER_HOUR', count, number),
    guessesPerMinute: read('LIMIT_GUESSES_PER_MINUTE', count, number),
  }
}
