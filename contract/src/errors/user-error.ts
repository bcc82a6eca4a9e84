import { clip, type ErrorCode, messageOf } from './catalogue.ts'

/** One fault of a field in a mutation's input, as in the payload's `errors`. */
export interface UserError {
  /** Path within the input, dots between its steps: `price`, `items.0.quantity`. */
  readonly field: string
  readonly message: string
  readonly code: UserErrorCode
}

/** Those that an error of the input can have. */
export type UserErrorCode = Extract<
  ErrorCode,
  | 'REQUIRED_FIELD'
  | 'INVALID_FORMAT'
  | 'INVALID_VALUE'
  | 'OUT_OF_RANGE'
  | 'ALREADY_EXISTS'
  | 'NOT_FOUND'
  | 'INVALID_COUPON'
>

export const requiredField = (field: string): UserError => ({
  field,
  message: messageOf('SVC_VAL_001', { fieldName: field }),
  code: 'REQUIRED_FIELD',
})

/** @param format what would have been right */
export const invalidFormat = (field: string, format: string): UserError => ({
  field,
  message: messageOf('SVC_VAL_002', { fieldName: field, format }),
  code: 'INVALID_FORMAT',
})

/** Well formed, but not a value that this field can have. */
export const invalidValue = (field: string, message: string): UserError => ({
  field,
  message,
  code: 'INVALID_VALUE',
})

/** @param value the number at fault, or what was counted: `of 201 characters` */
export const outOfRange = (field: string, value: string | number, min: number, max: number): UserError => ({
  field,
  message: messageOf('SVC_VAL_003', { value, min, max }),
  code: 'OUT_OF_RANGE',
})

export const alreadyExists = (field: string, value: string): UserError => ({
  field,
  message: messageOf('SVC_VAL_004', { field: lastStep(field), value }),
  code: 'ALREADY_EXISTS',
})

/**
 * The id is unknown, or another merchant's: the answer does not distinguish the two.
 *
 * @param what the record's name as a sentence begins: `Product`
 * @param id what the client sent; null where the record is not named by the input
 */
export const notFound = (field: string, what: string, id: string | null): UserError => ({
  field,
  message: id === null ? `${what} does not exist` : `${what} ${clip(id)} does not exist`,
  code: 'NOT_FOUND',
})

/** A coupon that can't be used. */
export const invalidCoupon = (field: string, message: string): UserError => ({
  field,
  message,
  code: 'INVALID_COUPON',
})

const lastStep = (field: string): string => field.slice(field.lastIndexOf('.') + 1)
