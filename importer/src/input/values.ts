import {
  countryCode,
  countryFault,
  currencyFault,
  type Fault,
  hasDeceptiveLetter,
  isEmailAddress,
  isHttpUrl,
  listFault,
  phoneFault,
  slugFault,
  type TextBounds,
  textFault,
} from '@commerce-graph/contract/input'
import { z } from 'zod'

/** A rule of the API's inputs, with the API's error message. */
const ruled = (faultOf: (value: string) => Fault | null) =>
  z.string().superRefine((value, context) => {
    addFault(context, faultOf(value))
  })

/** Adds an error, if there is one, to a zod check. */
export function addFault<T>(context: z.core.$RefinementCtx<T>, fault: Fault | null): void {
  if (fault !== null) context.addIssue({ code: 'custom', params: { fault } })
}

export const boundedText = (bounds: TextBounds) => ruled((value) => textFault(value, bounds))

/** A text that is required if its field is present; blanks around it are removed. */
export const text = (bounds: TextBounds) => z.string().trim().pipe(boundedText(bounds))

/** A list with a maximum length. */
export const list = <Item extends z.ZodType>(item: Item, max: number) =>
  z.array(item).superRefine((items, context) => {
    addFault(context, listFault(items.length, 0, max))
  })

/** A code or an English name; the row gets the code, as the API stores it. */
export const country = ruled(countryFault).transform((given) => countryCode(given) ?? given)

export const currency = ruled(currencyFault)

export const phone = ruled(phoneFault)

export const slug = ruled(slugFault)

export const email = ruled((value) =>
  isEmailAddress(value) && !hasDeceptiveLetter(value) ? null : { kind: 'format', expected: 'e-mail address' },
)

export const url = ruled((value) =>
  isHttpUrl(value) ? null : { kind: 'format', expected: 'http or https URL' },
)

export const wholeNumber = z.number().int()

/** Minor units: 9.99 dollars are 999. Below 2^53, because larger numbers are not exact in JSON. */
export const money = z
  .number()
  .refine(Number.isInteger, { error: 'must be a whole number of minor units (9.99 dollars are 999)' })
  .max(Number.MAX_SAFE_INTEGER)
