import { currencyExponent } from '@commerce-graph/contract/input'

/** What stands between whole units and their fraction. The other sign groups thousands. */
export type DecimalSign = '.' | ','

const forms = {
  '.': /^(-?)(\d{1,13}|[1-9]\d{0,2}(?:,\d{3}){1,4})(?:\.(\d{1,30}))?$/,
  ',': /^(-?)(\d{1,13}|[1-9]\d{0,2}(?:\.\d{3}){1,4})(?:,(\d{1,30}))?$/,
} as const satisfies Readonly<Record<DecimalSign, RegExp>>

/** The decimal signs that an amount can be read with: only a comma in `12,50`, but both in `1,234`. */
export const decimalSignsOf = (text: string): readonly DecimalSign[] =>
  (['.', ','] as const).filter((sign) => forms[sign].test(text))

/** A decimal amount such as `12.50` in the minor units of its currency; 0 for an empty text, NaN for no amount. */
export function minorUnits(text: string, currency: string, decimalSign: DecimalSign = '.'): number {
  if (text === '') return 0
  const match = forms[decimalSign].exec(text)
  if (match === null) return Number.NaN
  const digits = currencyExponent(currency)
  const [, sign = '', whole = '0', fraction = ''] = match
  const kept = `${fraction}${'0'.repeat(digits + 1)}`
  const units =
    Number(`${whole.replaceAll(/[.,]/g, '')}${kept.slice(0, digits)}`) + (Number(kept[digits]) >= 5 ? 1 : 0)
  return sign === '-' ? -units : units
}

/** A time such as `2023-01-05 10:00:00 -0500` as ISO 8601; null for an empty text. */
export function isoTime(text: string): string | null {
  if (text === '') return null
  const match = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2})(:\d{2})?\s*(Z|UTC|[+-]\d{2}:?\d{2})?$/.exec(text)
  if (match === null) return text
  const [, day = '', time = '', seconds = ':00', zone = 'Z'] = match
  const offset = zone === 'UTC' || zone === 'Z' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(-2)}`
  return `${day}T${time}${seconds}${offset}`
}
