import type { z } from 'zod'
import { invalidParameter, type StripeAnswer } from './stripe-error.ts'

/** @param found one more than the page has, if there are more */
export const listOf = (url: string, found: readonly object[], limit: number): object => ({
  object: 'list',
  data: found.slice(0, limit),
  has_more: found.length > limit,
  url,
})

export function invalidForm(error: z.ZodError): StripeAnswer {
  const [issue] = error.issues
  const parameter = issue?.path.join('.') ?? ''
  return invalidParameter(parameter, `Invalid ${parameter}: ${issue?.message ?? 'unreadable'}`)
}
