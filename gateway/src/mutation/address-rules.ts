import { addressTexts, countryCode } from '@commerce-graph/contract/input'
import type { Values } from './definition.ts'
import { pick } from './rows.ts'
import { boundedText, country, type Fields, object, phone, type Rule } from './rules.ts'

const addressColumns = ['line1', 'line2', 'city', 'state', 'postalCode', 'country', 'phone'] as const

/** What an AddressInput holds beyond its types. */
export const addressFields: Fields = {
  line1: boundedText(addressTexts.line1),
  line2: boundedText(addressTexts.line2),
  city: boundedText(addressTexts.city),
  state: boundedText(addressTexts.state),
  postalCode: boundedText(addressTexts.postalCode),
  country,
  phone,
}

export const address: Rule = object(addressFields)

/** The columns of an AddressInput that kept to its rules, its country as a code. */
export function addressValues(given: Values, nulls: 'kept' | 'left out' = 'kept'): Values {
  const values = pick(given, addressColumns, nulls)
  const named = values['country']
  return typeof named === 'string' ? { ...values, country: countryCode(named) } : values
}

/** The codes of countries that kept to the rule, each once, in the order given; null stays null. */
export function countryValues(
  given: readonly string[] | null | undefined,
): readonly (string | null)[] | null | undefined {
  return given && [...new Set(given.map(countryCode))]
}
