import * as contract from '@commerce-graph/contract/input'

/** The input's errors for the payload's `errors`, all at once. */
export interface UserError extends contract.UserError {
  /** Of a record that isn't there, its name. The id that the caller sent joins the message in `withIds`. */
  readonly missing?: string
}

/** A condition of the specification's catalogue: a top-level error with a status of its own. */
export interface Refusal {
  readonly kind: 'refused'
  readonly status: 400 | 401 | 402 | 403 | 409 | 429
  readonly id:
    | 'SVC_AUTH_002'
    | 'SVC_AUTH_003'
    | 'SVC_VAL_004'
    | 'SVC_RATE_001'
    | 'SVC_BIZ_001'
    | 'SVC_BIZ_002'
    | 'SVC_BIZ_003'
  readonly message: string
  readonly details: Readonly<Record<string, unknown>>
}

export type Answer =
  | {
      readonly kind: 'done'
      readonly data: Readonly<Record<string, unknown>>
      /** Nothing was changed, so there is nothing that must not happen again. */
      readonly nothingChanged?: true
    }
  | { readonly kind: 'invalid'; readonly errors: readonly UserError[] }
  | Refusal

export const done = (data: Readonly<Record<string, unknown>>): Answer => ({ kind: 'done', data })

/** The answer of an action that has changed nothing, such as a preview. */
export const unchanged = (data: Readonly<Record<string, unknown>>): Answer => ({
  kind: 'done',
  data,
  nothingChanged: true,
})

export const invalid = (...errors: readonly UserError[]): Answer => ({ kind: 'invalid', errors })

/**
 * An id in the input that the caller has no record of. Another merchant's record looks the same as none.
 *
 * @param what the record's name as a sentence begins: `Order`
 */
export const notFound = (field: string, what: string): UserError => ({
  ...contract.notFound(field, what, null),
  missing: what,
})

export const forbidden = (reason: string): Refusal => ({
  kind: 'refused',
  status: 403,
  id: 'SVC_AUTH_003',
  message: 'You have no permission to perform this action',
  details: { reason },
})

/** A refresh token that is expired, used up, revoked or unknown. The answer does not say which. */
export const sessionEnded = (): Refusal => ({
  kind: 'refused',
  status: 401,
  id: 'SVC_AUTH_002',
  message: 'The authentication token has expired',
  details: { field: 'refreshToken', reason: 'The session has ended; sign in again' },
})

/** @param seconds until it makes sense to try again */
export const tooManyAttempts = (seconds: number): Refusal => ({
  kind: 'refused',
  status: 429,
  id: 'SVC_RATE_001',
  message: `API rate limit exceeded. Please retry after ${seconds} seconds`,
  details: { reason: 'Too many attempts to sign in', retryAfter: seconds },
})

/** @param seconds until the address gets the next one */
export const tooManyTests = (seconds: number): Refusal => ({
  ...tooManyAttempts(seconds),
  details: { reason: 'An address gets 20 tests of e-mails within an hour', retryAfter: seconds },
})

/** More was asked for than there is. `position`, when known: which entry of the list, from 0. */
export interface Shortage {
  readonly sku: string
  readonly available: number
  readonly requested: number
  readonly position?: number
}

/**
 * @param fieldOf the input field that asked for too much
 * @param showsAvailable false for guests, who see of stock what the merchant shows
 */
export function insufficientInventory(
  shortages: readonly Shortage[],
  fieldOf: (shortage: Shortage) => string,
  { showsAvailable = true }: { readonly showsAvailable?: boolean } = {},
): Refusal {
  const listed = shortages.map((shortage) => ({
    field: fieldOf(shortage),
    sku: shortage.sku,
    ...(showsAvailable && { available: shortage.available }),
    requested: shortage.requested,
  }))
  const [first] = listed
  if (first === undefined) throw new Error('There is no shortage to tell.')
  const available = showsAvailable ? `Available: ${first.available ?? 0}, ` : ''
  const message = `Insufficient inventory. ${available}Requested: ${first.requested}`
  return {
    kind: 'refused',
    status: 400,
    id: 'SVC_BIZ_001',
    message,
    details: { ...first, reason: message, shortages: listed },
  }
}

export function paymentFailed(reason: string, details: Readonly<Record<string, unknown>>): Refusal {
  const message = `Payment processing failed: ${reason}`
  return { kind: 'refused', status: 402, id: 'SVC_BIZ_002', message, details: { reason, ...details } }
}

/** @param field the argument that names the order */
export function orderNotModifiable(
  field: 'id' | 'orderId',
  orderId: string,
  status: string,
  reason?: string,
): Refusal {
  const message = `Order ${orderId} cannot be modified in status ${status}`
  return {
    kind: 'refused',
    status: 409,
    id: 'SVC_BIZ_003',
    message,
    details: { field, reason: reason ?? message, orderId, status },
  }
}

/** @param forgotten the request is the same, but its answer held secrets, which are not kept for long */
export const idempotencyKeyReused = (key: string, forgotten = false): Refusal => ({
  kind: 'refused',
  status: 409,
  id: 'SVC_VAL_004',
  message: `A record with Idempotency-Key=${key} already exists`,
  details: {
    field: 'Idempotency-Key',
    reason: forgotten
      ? 'The request was carried out; its answer has secrets, which are repeated for ten minutes only'
      : 'The key was used for another request',
  },
})
