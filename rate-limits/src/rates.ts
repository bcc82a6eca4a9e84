import { z } from 'zod'

export type Plan = 'FREE' | 'STARTER' | 'PRO' | 'ENTERPRISE'

/** How many requests a merchant may send, over all of its keys, users and shoppers. */
export interface Rate {
  /** Null: the hour has no bound. */
  readonly perHour: number | null
  readonly perMinute: number
  /** The most that any minute takes. What goes beyond `perMinute` is an hour's allowance of `burst - perMinute`. */
  readonly burst: number
}

export interface RateSettings {
  readonly plans: Readonly<Record<Plan, Rate>>
  /** What was agreed with single merchants, by their id; it stands before the plan. */
  readonly merchants: ReadonlyMap<string, Rate>
  /** What one shopper takes of its merchant's rate at most, in a minute. */
  readonly shopperPerMinute: number
  /** What one shopper takes of it at most, in hundredths of the merchant's minute and hour. */
  readonly shopperShare: number
  /** What all shoppers together take of it at most, in hundredths: the rest is there for keys and users whatever shoppers do. */
  readonly shoppersShare: number
  /** The complexity for which a request counts once: one of three times it counts as three requests. */
  readonly complexityPerRequest: number
  /** Wrong passwords and codes that a client may try at one merchant in a minute. */
  readonly guessesPerMinute: number
  /** Coupons that a shopper, or a cart, may try in vain in an hour. */
  readonly couponGuessesPerHour: number
}

/**
 * The variables that rates come from, and their defaults, written `per hour/per minute/burst`. Free and Pro are the
 * specification's table ("Rate limits"); Starter has no row there and Enterprise's numbers are "custom", so both are
 * open points (docs/open-points.md). Enterprise's default is more than a process serves: it bounds a client that has
 * run wild, and a number that was agreed upon goes into LIMIT_RATE_ENTERPRISE or LIMIT_RATE_CUSTOM.
 */
export const rateVariables = {
  LIMIT_RATE_FREE: '1000/50/100',
  LIMIT_RATE_STARTER: '5000/250/500',
  LIMIT_RATE_PRO: '10000/500/1000',
  LIMIT_RATE_ENTERPRISE: 'unlimited/300000/600000',
  LIMIT_RATE_CUSTOM: '',
  LIMIT_SHOPPER_REQUESTS_PER_MINUTE: '300',
  LIMIT_SHOPPER_SHARE: '20',
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

/** @throws Error naming the variable that can't be read. A limit that is a typo limits nothing. */
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
