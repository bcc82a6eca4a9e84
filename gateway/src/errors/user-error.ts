import { clip, type ErrorCode, messageOf } from './catalogue.ts'

/** What is wrong with one field of a mutation's input, as the payload's `errors` tells it. */
export interface UserError {
  /** Path within the input, dots between its steps: `price`, `items.0.quantity`, `variants.1.sku`. */
  readonly field: string | null
  readonly message: string
  readonly code: ErrorCode | null
}

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

/** The id is unknown, or another merchant's: which of the two is nobody's business. */
export const notFound = (field: string, what: string, id: string): UserError => ({
  field,
  message: `${what} ${clip(id)} does not exist`,
  code: 'NOT_FOUND',
})

const lastStep = (field: string): string => field.slice(field.lastIndexOf('.') + 1)
