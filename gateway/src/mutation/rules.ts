import {
  cardNumberFields,
  cardNumberMessage,
  countryFault,
  currencyFault,
  type Fault,
  inputError,
  invalidFormat,
  invalidValue,
  isTimeZone,
  listFault,
  outOfRange,
  phoneFault,
  requiredField,
  slugFault,
  type TextBounds,
  textFault,
  type UserError,
} from '@commerce-graph/contract/input'

/**
 * What a value has to be beyond its GraphQL type. Returns everything that is wrong with it, each with its path; an
 * absent or null value is fine, because whether a field must be there is the type's business.
 */
export type Rule = (value: unknown, field: string) => readonly UserError[]

export type Fields = Readonly<Record<string, Rule>>

const fine: readonly UserError[] = []

/** The largest amount, and the largest integer that JSON clients hold exactly. */
export const maxMoney = Number.MAX_SAFE_INTEGER

function ruleFor<T>(
  is: (value: unknown) => value is T,
  check: (value: T, field: string) => UserError | null,
): Rule {
  return (value, field) => {
    if (!is(value)) return fine
    const error = check(value, field)
    return error ? [error] : fine
  }
}

const isString = (value: unknown): value is string => typeof value === 'string'
const isNumber = (value: unknown): value is number => typeof value === 'number'

/** A rule of both APIs' inputs, as the actions apply it too. */
const sharedRule = (faultOf: (value: string) => Fault | null): Rule =>
  ruleFor(isString, (value, field) => {
    const fault = faultOf(value)
    return fault && inputError(field, fault)
  })

/** A text whose bounds other services apply, too. */
export const boundedText = (bounds: TextBounds): Rule => sharedRule((value) => textFault(value, bounds))

/** A line of text that isn't blank. */
export const text = ({ min = 1, max }: { readonly min?: number; readonly max: number }): Rule =>
  boundedText({ lines: 'one', min, max })

/** A line of text that may be empty. */
export const optionalLine = ({ max }: { readonly max: number }): Rule =>
  boundedText({ lines: 'one', min: 0, max })

/** Text of any number of lines, which may be empty. */
export const optionalText = ({ max }: { readonly max: number }): Rule =>
  boundedText({ lines: 'any', min: 0, max })

/** What is wrong with the arguments as a whole: a card's number, whichever text it is in. */
export const cardNumbersIn = (args: Readonly<Record<string, unknown>>): readonly UserError[] =>
  cardNumberFields(args).map((field) => invalidValue(field, cardNumberMessage(field)))

/** @param format the pattern in words */
export const matching = (pattern: RegExp, format: string): Rule =>
  ruleFor(isString, (value, field) => {
    if (value.trim() === '') return requiredField(field)
    return pattern.test(value) ? null : invalidFormat(field, format)
  })

export const numberBetween = ({ min, max }: { readonly min: number; readonly max: number }): Rule =>
  ruleFor(isNumber, (value, field) =>
    value < min || value > max ? outOfRange(field, value, min, max) : null,
  )

export const integer = numberBetween

/** An amount above zero. The specification calls a price of zero an INVALID_VALUE. */
export const price: Rule = ruleFor(isNumber, (value, field) =>
  value > 0 ? null : invalidValue(field, outOfRange(field, value, 1, maxMoney).message),
)

/** An amount of zero or more. */
export const amount: Rule = integer({ min: 0, max: maxMoney })

export const currency: Rule = sharedRule(currencyFault)

export const phone: Rule = sharedRule(phoneFault)

/** A country as clients write it; what is stored is its code (`countryValues`). */
export const country: Rule = sharedRule(countryFault)

export const slug: Rule = sharedRule(slugFault)

export const timeZone: Rule = ruleFor(isString, (value, field) => {
  if (value.trim() === '') return requiredField(field)
  return isTimeZone(value) ? null : invalidFormat(field, 'IANA time zone such as Europe/Berlin')
})

/** A list of at most `max` items, each under the rule. */
export const list =
  (item: Rule, { max }: { readonly max: number }): Rule =>
  (value, field) => {
    if (!Array.isArray(value)) return fine
    const fault = listFault(value.length, 0, max)
    if (fault !== null) return [inputError(field, fault)]
    return value.flatMap((element, index) => item(element, `${field}.${index}`))
  }

/** An object with a rule for each of the fields that have one. */
export const object =
  (fields: Fields): Rule =>
  (value, field) =>
    typeof value === 'object' && value !== null
      ? checkFields(fields, value as Readonly<Record<string, unknown>>, `${field}.`)
      : fine

/** What is wrong with any of the fields, in the order of the rules. */
export function checkFields(
  fields: Fields,
  values: Readonly<Record<string, unknown>>,
  prefix = '',
): readonly UserError[] {
  return Object.entries(fields).flatMap(([name, rule]) => rule(values[name], `${prefix}${name}`))
}

/**
 * An update leaves out what shall stay. Null is another thing: it empties a field, which a required one can't be.
 *
 * @param required the fields that a record can't be without
 */
export function nullsIn(
  required: readonly string[],
  values: Readonly<Record<string, unknown>>,
): readonly UserError[] {
  return required.filter((field) => values[field] === null).map(requiredField)
}
