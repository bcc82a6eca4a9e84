import type { Fault } from './fault.ts'
import { textFault } from './text.ts'

const maxLength = 200

/** The fault of a slug: the part of a URL that names a product, a category or an article. */
export function slugFault(given: string): Fault | null {
  const fault = textFault(given, { lines: 'one', min: 1, max: maxLength })
  if (fault !== null) return fault
  return /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(given)
    ? null
    : { kind: 'format', expected: 'lower-case letters, digits and single hyphens' }
}
