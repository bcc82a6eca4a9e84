import { withoutIbans } from './iban.ts'

const fewestDigits = 12
const mostDigits = 19

/**
 * Texts with many digits that are no card numbers: URLs, UUIDs, dates, and runs of hexadecimal digits, which may be
 * hashes.
 */
const otherNumbers =
  /https?:\/\/\S+|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}|(?<!\d)(?:19|20)\d\d-[01]\d-[0-3]\d(?!\d)|(?<![\da-f])[\da-f]{24,}/giu

/** Groups of digits with up to three spaces or hyphens, of whichever kind, between them. */
const digitGroups = /\d+(?:[\s\p{Pd}\u2212]{1,3}\d+)*/gu

/**
 * Whether a text holds a card's number: 12 to 19 digits that pass Luhn's test, in one group or several. README.md says what
 * is left out. Takes time in proportion to the text.
 */
export function holdsCardNumber(text: string): boolean {
  if (!/\p{Nd}/u.test(text)) return false
  // Digits of other forms (full-width ones, for example) become the usual ones.
  const plain = withoutIbans(text.normalize('NFKC')).replace(otherNumbers, (found) =>
    /^\d+$/.test(found) ? found : ' . ',
  )
  return (plain.match(digitGroups) ?? []).some((run) => isCardAmong(run.match(/\d+/g) ?? []))
}

/** Whether neighbouring groups make a card's number: what stands beside it may be an expiry date. */
const isCardAmong = (groups: readonly string[]): boolean =>
  groups.some((_, first) => {
    let digits = ''
    for (const group of groups.slice(first, first + mostDigits)) {
      digits += group
      if (digits.length > mostDigits) return false
      if (isCardNumber(digits) && !(digits === group && isBarcode(digits))) return true
    }
    return false
  })

const isCardNumber = (digits: string): boolean =>
  digits.length >= fewestDigits && digits.length <= mostDigits && !/^0+$/.test(digits) && passesLuhn(digits)

/** From the last digit on, every second one counts twice; the sum of all digits is a multiple of ten. */
function passesLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => {
      const value = Number(digit) * (index % 2 === 0 ? 1 : 2)
      return total + (value > 9 ? value - 9 : value)
    }, 0)
  return sum % 10 === 0
}

/** UPC-A and EAN-13: from the last digit on, every second one counts three times. */
function isBarcode(digits: string): boolean {
  if (digits.length !== 12 && digits.length !== 13) return false
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0)
  return sum % 10 === 0
}
