import type { ObjectValue } from './input-value.ts'
import { member } from './plan-value.ts'
import { RequestError } from './request-error.ts'
import type { OrderTermPlan, SeekTerm } from './tree.ts'

/**
 * Decodes a cursor: base64 of JSON with the values by which the row was sorted, named as in `order_by`. Numbers stay
 * texts, because they may have more digits than JavaScript's. Throws RequestError.
 */
export function seekTerms(
  given: ObjectValue,
  name: 'after' | 'before',
  terms: readonly OrderTermPlan[],
): readonly SeekTerm[] | undefined {
  const input = member(given, name)
  if (input?.kind !== 'leaf' || typeof input.value !== 'string') return undefined
  const values = decode(input.value)
  return terms.map((term) => {
    const value = valueAt(values, term.path)
    if (value === undefined || (typeof value === 'object' && value !== null))
      throw new RequestError(`the "${name}" cursor is invalid`, input.path)
    return { term, bound: value === null ? null : String(value) }
  })
}

type Decoded = null | boolean | string | { readonly [key: string]: Decoded }

function decode(cursor: string): Decoded | undefined {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64').toString('utf8'), writtenNumbers) as Decoded
  } catch {
    return undefined
  }
}

/** TypeScript's declaration lacks the third argument. */
const writtenNumbers = (_: string, value: unknown, context?: { readonly source?: string }): unknown =>
  typeof value === 'number' ? (context?.source ?? String(value)) : value

function valueAt(decoded: Decoded | undefined, path: readonly string[]): Decoded | undefined | null {
  let value = decoded
  for (const step of path) {
    // The related row of the order may not exist.
    if (value === null) return null
    if (typeof value !== 'object' || !Object.hasOwn(value, step)) return undefined
    value = value[step]
  }
  return value
}
