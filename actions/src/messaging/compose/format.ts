import { currencyExponent, isTimeZone } from '@commerce-graph/contract/input'

/** Messages are in English, as the built-in templates are. */
const locale = 'en-US'

/** `1234567` of USD is `$12,345.67`, `1234567` of JPY is `¥1,234,567`. Exact for every safe integer. */
export function formatMoney(minorUnits: number, currency: string): string {
  const digits = currencyExponent(currency)
  const format = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  const text = String(Math.abs(minorUnits)).padStart(digits + 1, '0')
  const whole = text.slice(0, text.length - digits)
  const decimal = digits === 0 ? whole : `${whole}.${text.slice(text.length - digits)}`
  return format.format(`${minorUnits < 0 ? '-' : ''}${decimal}` as `${number}`)
}

/** Postgres may know a zone that is too new for this Node. */
const zoneOf = (timeZone: string): string => (isTimeZone(timeZone) ? timeZone : 'UTC')

/** `Saturday, March 14, 2026 at 8:09 AM PDT`, by the shop's clock. */
export function formatTime(timestamp: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat(locale, {
    timeZone: zoneOf(timeZone),
    weekday: 'long',
    year: 'numeric',
    month: 'long',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZoneName: 'short',
  })
  return format.format(new Date(timestamp))
}

/** `Saturday, March 14, 2026`, by the shop's clock. */
export const formatDay = (timestamp: string, timeZone: string): string =>
  new Intl.DateTimeFormat(locale, { timeZone: zoneOf(timeZone), dateStyle: 'full' }).format(
    new Date(timestamp),
  )
