import { holdsCardNumber } from './card-number.ts'

/** Fields of which long numbers are the nature, or which are never stored as they are: README.md says why. */
const notLookedAt: ReadonlySet<string> = new Set([
  'externalId',
  'externalIds',
  'sku',
  'skus',
  'reference',
  'trackingNumber',
  'phone',
  'url',
  'fileName',
  'website',
  'returnUrl',
  'password',
  'currentPassword',
  'newPassword',
  'token',
  'refreshToken',
])

/** The message for the client. It doesn't repeat the number. */
export const cardNumberMessage = (field: string): string =>
  `Field ${field} holds what looks like a card number, which is never stored`

/**
 * The fields of a mutation's arguments that hold a card's number, as paths like `items.2.notes`; those of the argument `input`
 * without its name, as errors name them.
 */
export const cardNumberFields = (args: Readonly<Record<string, unknown>>): readonly string[] =>
  Object.entries(args).flatMap(([name, value]) =>
    name === 'input' ? fieldsIn(value, '') : fieldsOf(value, name, name),
  )

function fieldsIn(value: unknown, prefix: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, entry]) => fieldsOf(entry, name, `${prefix}${name}`))
}

/** @param name the last field's; an entry of a list has its number for a name, and never one that isn't looked at */
function fieldsOf(value: unknown, name: string, path: string): readonly string[] {
  if (notLookedAt.has(name)) return []
  if (typeof value === 'string') return holdsCardNumber(value) ? [path] : []
  return fieldsIn(value, `${path}.`)
}
