import { z } from 'zod'

export const text = z.string().trim().min(1)

export const optionalText = z.string().optional()

export const wholeNumber = z.number().int()

/** Minor units: 9.99 dollars are 999. Below 2^53, which is where JSON's numbers stop being exact. */
export const money = z
  .number()
  .refine(Number.isInteger, { error: 'must be a whole number of minor units (9.99 dollars are 999)' })
  .max(Number.MAX_SAFE_INTEGER)

export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, { error: 'must be a currency code of three capital letters' })

export const slug = z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, {
  error: 'must be small letters and digits, parted by single hyphens',
})
