import type { UserErrorPartsFragment } from '../generated/operations.ts'
import { Unavailable } from './api-error.ts'

/** The fields of a mutation's payload next to its record. */
export interface MutationPayload {
  /** Empty when it succeeded. */
  readonly errors: readonly UserErrorPartsFragment[]
}

/**
 * The record of a payload without errors.
 *
 * @throws Unavailable if it is absent, which the contract excludes
 */
export function recordOf<Value>(record: Value | null): Value {
  if (record === null) throw new Unavailable('a payload has neither errors nor a record')
  return record
}
