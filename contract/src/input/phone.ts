import { parsePhoneNumberFromString } from 'libphonenumber-js/min'
import type { Fault } from './fault.ts'
import { textFault } from './text.ts'

/** E.164 has room for 15 digits. */
const maxDigits = 15
const minDigits = 4

/**
 * The fault of a phone number as people write it: `(503) 555-9573`, `+49 30 123456`, `503.555.9573 x12`. With a
 * country code it must have a length that the country's numbers have. Without one it may be of any country, so only
 * its form counts (docs/decisions/0076-phone-numbers-and-countries.md).
 */
export const phoneFault = (given: string): Fault | null =>
  textFault(given, { lines: 'one', min: 1, max: 64 }) ?? (isPhoneNumber(given.trim()) ? null : wrongForm)

const wrongForm: Fault = {
  kind: 'format',
  expected: 'phone number, for example +49 30 123456 or (503) 555-9573',
}

function isPhoneNumber(text: string): boolean {
  if (/^[+＋]/.test(text)) return parsePhoneNumberFromString(text, { extract: false })?.isPossible() ?? false
  // The country only tells the parser how to read the text; nothing of the country's own plan is asked.
  const number = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false })
  if (number === undefined) return false
  const digits = number.nationalNumber.length
  return digits >= minDigits && digits <= maxDigits
}
