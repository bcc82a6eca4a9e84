// The package's main file loads the names of every language; these two are all that is needed.
import countries from 'i18n-iso-countries/index.js'
import english from 'i18n-iso-countries/langs/en.json' with { type: 'json' }
import type { Fault } from './fault.ts'
import { textFault } from './text.ts'

countries.registerLocale(english)

const alpha2Codes: ReadonlySet<string> = new Set(Object.keys(countries.getAlpha2Codes()))

/**
 * The ISO 3166-1 alpha-2 code of a country that is given as that code, as the alpha-3 code, or by its English name, in any
 * case: `us`, `USA` and `United States` are US. Null: there is no such country.
 */
export function countryCode(given: string): string | null {
  const text = given.trim()
  const upper = text.toUpperCase()
  if (alpha2Codes.has(upper)) return upper
  return countries.alpha3ToAlpha2(upper) ?? countries.getAlpha2Code(text, 'en') ?? null
}

/** The fault of a country that `countryCode` refuses. */
export function countryFault(given: string): Fault | null {
  const fault = textFault(given, { lines: 'one', min: 1, max: 255 })
  if (fault !== null) return fault
  return countryCode(given) === null
    ? { kind: 'format', expected: 'ISO 3166-1 alpha-2 country code, for example US' }
    : null
}
