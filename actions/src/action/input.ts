import {
  cardNumberFields,
  cardNumberMessage,
  countryCode,
  countryFault,
  currencyFault,
  type Fault as InputFault,
  hasDeceptiveLetter,
  inputError,
  invalidCoupon,
  listFault,
  phoneFault,
  type TextBounds,
  textFault,
} from '@commerce-graph/contract/input'
import { z } from 'zod'
import type { UserError } from './answer.ts'

/** What is wrong with a value; the field's name joins it once the whole input has been looked at. */
export type Fault =
  | InputFault
  /** Why a coupon can't be used. */
  | { readonly kind: 'coupon'; readonly message: string }

/** What a merged line, a cart line and a level can hold at most. */
export const MAX_QUANTITY = 999_999
/** Lines of a cart, an order or a reservation. */
export const MAX_LINES = 200
/** The largest amount of money that JSON clients hold exactly, in minor units. */
export const MAX_MONEY = Number.MAX_SAFE_INTEGER

/** Adds a fault to a zod check, to be told by `userErrorsOf`. */
export function addFault<T>(
  context: z.core.$RefinementCtx<T>,
  fault: Fault,
  path: (string | number)[] = [],
): void {
  context.addIssue({ code: 'custom', params: { fault }, path, message: fault.kind })
}

/** Hasura leaves absent fields out or sends null; behind this there is only null. */
export const optional = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullish().transform((value) => value ?? null)

/** A rule of both APIs' inputs, as the gateway applies it to rows. */
const sharedRule = (faultOf: (value: string) => Fault | null) =>
  z.string().superRefine((value, context) => {
    const fault = faultOf(value)
    if (fault !== null) addFault(context, fault)
  })

/** A text whose bounds other services apply, too. */
const boundedText = (bounds: TextBounds) => sharedRule((value) => textFault(value, bounds))

/** A text of any number of lines, which may be empty. */
export const storableText = (max: number) => boundedText({ lines: 'any', min: 0, max })

/** A text of any number of lines that says something. */
export const prose = (max: number) => boundedText({ lines: 'any', min: 1, max })

/** A line of text: what goes into subjects, labels and lists of a mail. */
export const line = (max: number) => boundedText({ lines: 'one', min: 0, max })

/** A line of text that says something. */
export const text = (max: number) => boundedText({ lines: 'one', min: 1, max })

const emailForm = z.email()

/** As the contract's EmailAddress; Hasura's own API has only strings. */
export const email = text(254).superRefine((value, context) => {
  if (value.trim() !== '' && (!emailForm.safeParse(value).success || hasDeceptiveLetter(value)))
    addFault(context, { kind: 'format', expected: 'e-mail address' })
})

export const phone = sharedRule(phoneFault)

/** Given as `countryCode` takes it, and kept as its ISO 3166-1 alpha-2 code. */
export const country = sharedRule(countryFault).transform((given) => countryCode(given) ?? given)

export const currency = sharedRule(currencyFault)

/** Any UUID, whatever its version: ids may have been made elsewhere. */
export const id = z.guid()

export const integer = (min: number, max: number) =>
  z.number().superRefine((value, context) => {
    if (!Number.isInteger(value)) addFault(context, { kind: 'format', expected: 'a whole number' })
    else if (value < min || value > max) addFault(context, { kind: 'range', value, min, max })
  })

export const quantity = integer(1, MAX_QUANTITY)

/** Hasura sends bigint as a number or, when it stringifies numbers, as digits. */
const minorUnits = z.union([z.number(), z.string().regex(/^-?\d{1,20}$/)]).transform(Number)

/** An amount to be moved. */
export const money = minorUnits.pipe(integer(1, MAX_MONEY))

/** What something costs, which may be nothing. */
export const cost = minorUnits.pipe(integer(0, MAX_MONEY))

export const list = <Schema extends z.ZodType>(item: Schema, max: number) =>
  z.array(item).superRefine((items, context) => {
    const fault = items.length === 0 ? ({ kind: 'required' } as const) : listFault(items.length, 1, max)
    if (fault !== null) addFault(context, fault)
  })

export const address = z.object({
  line1: text(255),
  line2: optional(line(255)),
  city: text(255),
  state: text(255),
  postalCode: text(32),
  country,
  phone: optional(phone),
})

export const notes = optional(storableText(5000))

/** As the customer typed it; whether there is such a code is the promotions' to say. */
export const couponCode = text(100).transform((code) => code.trim())

/** Seconds may be left out, as in the contract's DateTime. */
const timestampForms = z.union([
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
])

export const timestamp = z.string().superRefine((value, context) => {
  if (!timestampForms.safeParse(value).success || Number.isNaN(Date.parse(value)))
    addFault(context, { kind: 'format', expected: 'ISO 8601 timestamp' })
})

/** The fields of an action's arguments, as they came in, that hold a card's number. */
export const cardNumbersIn = (args: unknown): readonly UserError[] =>
  typeof args === 'object' && args !== null
    ? cardNumberFields({ ...args }).map((field) =>
        userError(field, { kind: 'value', message: cardNumberMessage(field) }),
      )
    : []

/** One UserError per fault; the first of a field when it has several. */
export const userErrorsOf = (error: z.ZodError): readonly UserError[] =>
  onePerField(error.issues.map((issue) => userError(fieldOf(issue.path), faultOf(issue))))

/** The first of a field when it has several. */
export function onePerField(errors: readonly UserError[]): readonly UserError[] {
  const byField = new Map<string, UserError>()
  for (const error of errors) if (!byField.has(error.field)) byField.set(error.field, error)
  return [...byField.values()]
}

export function userError(field: string, fault: Fault): UserError {
  return fault.kind === 'coupon' ? invalidCoupon(field, fault.message) : inputError(field, fault)
}

function fieldOf(path: readonly PropertyKey[]): string {
  const segments = path.map(String)
  return (segments[0] === 'input' ? segments.slice(1) : segments).join('.')
}

function faultOf(issue: z.core.$ZodIssue): Fault {
  switch (issue.code) {
    case 'custom':
      return (issue.params as { readonly fault: Fault }).fault
    case 'invalid_type':
      return issue.input == null ? { kind: 'required' } : { kind: 'format', expected: issue.expected }
    case 'too_big':
      return {
        kind: 'range',
        value: Array.isArray(issue.input) ? `of ${issue.input.length} entries` : 'given',
        min: 0,
        max: Number(issue.maximum),
      }
    case 'invalid_format':
      return { kind: 'format', expected: issue.format }
    case 'invalid_value':
      return { kind: 'format', expected: `one of ${issue.values.join(', ')}` }
    default:
      return { kind: 'value', message: issue.message }
  }
}
