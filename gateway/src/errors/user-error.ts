import type { ErrorCode } from './catalogue.ts'

export {
  alreadyExists,
  invalidFormat,
  invalidValue,
  notFound,
  outOfRange,
  requiredField,
} from '@commerce-graph/input-rules'

/** What is wrong with one field of a mutation's input, as the payload's `errors` tells it. */
export interface UserError {
  /** Path within the input, dots between its steps: `price`, `items.0.quantity`, `variants.1.sku`. */
  readonly field: string | null
  readonly message: string
  readonly code: ErrorCode | null
}
