import {
  type UserError,
  invalidFormat,
  invalidValue,
  outOfRange,
  requiredField,
} from '../errors/user-error.ts'

/** The fault of a value, without its field. */
export type Fault =
  | { readonly kind: 'required' }
  /** `expected`: what would have been right. */
  | { readonly kind: 'format'; readonly expected: string }
  /** `value`: the number at fault, or what was counted: `of 201 characters`. */
  | { readonly kind: 'range'; readonly value: number | string; readonly min: number; readonly max: number }
  | { readonly kind: 'value'; readonly message: string }

/** The fault as the payload's `errors` name it. */
export function inputError(field: string, fault: Fault): UserError {
  switch (fault.kind) {
    case 'required':
      return requiredField(field)
    case 'format':
      return invalidFormat(field, fault.expected)
    case 'range':
      return outOfRange(field, fault.value, fault.min, fault.max)
    case 'value':
      return invalidValue(field, fault.message)
    default:
      return fault satisfies never
  }
}
