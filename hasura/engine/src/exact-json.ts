/** Node's functions for raw JSON texts, which TypeScript's library doesn't declare yet. */
interface ExactJson {
  parse(
    text: string,
    reviver: (this: unknown, key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown
  rawJSON(text: string): RawNumber
  isRawJSON(value: unknown): boolean
}

const exact = JSON as unknown as ExactJson

/** A number that is kept as text. JSON.stringify writes it unchanged. */
export type RawNumber = Readonly<Record<'rawJSON', string>>

/** JSON.parse for numbers that JavaScript would write differently (beyond 2^53, `1.50`): they are kept as text. */
export const parseExactly = (text: string): unknown =>
  exact.parse(text, (_key, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? exact.rawJSON(source)
      : value,
  )

/**
 * A text without these has no number that JSON.parse rounds: many digits in a row, or a large exponent. This is asked of every
 * request: V8 looks for a repetition that is written out by leaps of its length, many times as fast as for `{16}`.
 */
const hasLongNumber = new RegExp(String.raw`${String.raw`[\d.]`.repeat(16)}|\d[eE][+-]?\d{3,}(?:[\s,\]}]|$)`)

/** The same, where a number may stand: most long digits are in texts, such as a key. */
const mayBeRounded = /(?:^|[\s:,[])-?(?:[\d.]{16}|[\d.]+e[+-]?\d{3})/i

/** JSON.parse for what a client sends: a number that JavaScript would round is kept as text; any other is a number. */
export const parseUnrounded = (text: string): unknown =>
  hasLongNumber.test(text) && mayBeRounded.test(text)
    ? exact.parse(text, (_key, value, { source }) =>
        typeof value === 'number' && source !== undefined ? unrounded(source) : value,
      )
    : (JSON.parse(text) as unknown)

/** The number that a JSON text says; kept as text if JavaScript would round it. */
export function unrounded(text: string): number | RawNumber {
  const value = Number(text)
  const said = decimalOf(text)
  const read = decimalOf(String(value))
  const isSame =
    said.digits === read.digits &&
    (said.digits === '' || (said.exponent === read.exponent && said.isNegative === read.isNegative))
  return isSame && Number.isFinite(value) ? value : exact.rawJSON(text)
}

/** Whether the value is a number kept as text. */
export const isRawNumber = (value: unknown): value is RawNumber =>
  typeof value === 'object' && value !== null && exact.isRawJSON(value)

/** A copy of a JSON value whose numbers are JavaScript's, for what knows no others: metadata and templates. */
export const withPlainNumbers = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

/** `typeof` a JSON value. */
export const jsonTypeOf = (value: unknown) => (isRawNumber(value) ? 'number' : typeof value)

/** More than any integer type has. */
const mostDigits = 40

/** A number's value as an integer; undefined if it is none, or has too many digits for any column. */
export function integerOf(value: number | RawNumber): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined
  const { digits, exponent, isNegative } = decimalOf(value.rawJSON)
  if (exponent < 0 || digits.length + exponent > mostDigits) return undefined
  const integer = BigInt(digits) * 10n ** BigInt(exponent)
  return isNegative ? -integer : integer
}

interface Decimal {
  readonly isNegative: boolean
  /** Without zeros at either end. */
  readonly digits: string
  /** The power of ten with which the digits are multiplied. */
  readonly exponent: number
}

function decimalOf(text: string): Decimal {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const all = whole + fraction
  let end = all.length
  // A regular expression for the last zeros would look at each zero of a long number again and again.
  while (all[end - 1] === '0') end -= 1
  const digits = all.slice(0, end).replace(/^0+/, '')
  return {
    isNegative: text.startsWith('-'),
    digits,
    exponent: Number(power) - fraction.length + (all.length - end),
  }
}
