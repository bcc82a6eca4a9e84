import { catalogueError, type MessageValues, rateLimited } from '@commerce-graph/contract/errors'
import * as contract from '@commerce-graph/contract/input'

/** The input's errors for the payload's `errors`, all at once. */
export interface UserError extends contract.UserError {
  /** Of a record that isn't there, its name. The id that the caller sent joins the message in `withIds`. */
  readonly missing?: string
}

type RefusalId =
  | 'SVC_AUTH_002'
  | 'SVC_AUTH_003'
  | 'SVC_VAL_004'
  | 'SVC_RATE_001'
  | 'SVC_BIZ_001'
  | 'SVC_BIZ_002'
  | 'SVC_BIZ_003'

/** A condition of the specification's catalogue: a top-level error with a status of its own. */
export interface Refusal {
  readonly kind: 'refused'
  readonly status: number
  readonly id: RefusalId
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

function refusal<Id extends RefusalId>(
  id: Id,
  values: MessageValues<Id>,
  details: Refusal['details'],
): Refusal {
  const { status, message } = catalogueError(id, values)
  return { kind: 'refused', status, id, message, details: { reason: message, ...details } }
}

export const forbidden = (reason: string): Refusal => refusal('SVC_AUTH_003', {}, { reason })

/** A refresh token that is expired, used up, revoked or unknown. The answer does not say which. */
export const sessionEnded = (): Refusal =>
  refusal('SVC_AUTH_002', {}, { field: 'refreshToken', reason: 'The session has ended; sign in again' })

/** @param seconds until it makes sense to try again */
export const tooManyAttempts = (seconds: number): Refusal => tooMany(seconds, 'Too many attempts to sign in')

/** @param seconds until the address gets the next one */
export const tooManyTests = (seconds: number): Refusal =>
  tooMany(seconds, 'An address gets 20 tests of e-mails within an hour')

function tooMany(seconds: number, reason: string): Refusal {
  const { status, message, details } = rateLimited(seconds, reason)
  return { kind: 'refused', status, id: 'SVC_RATE_001', message, details }
}

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
  const details = { ...first, shortages: listed }
  const values = { available: first.available ?? 0, requested: first.requested }
  const refused = refusal('SVC_BIZ_001', values, details)
  if (showsAvailable) return refused
  const message = `Insufficient inventory. Requested: ${first.requested}`
  return { ...refused, message, details: { ...details, reason: message } }
}

export const paymentFailed = (reason: string, details: Readonly<Record<string, unknown>>): Refusal =>
  refusal('SVC_BIZ_002', { reason }, { reason, ...details })

/** @param field the argument that names the order */
export const orderNotModifiable = (
  field: 'id' | 'orderId',
  orderId: string,
  status: string,
  reason?: string,
): Refusal =>
  refusal(
    'SVC_BIZ_003',
    { orderId, status },
    { field, ...(reason !== undefined && { reason }), orderId, status },
  )

/** @param forgotten the request is the same, but its answer held secrets, which are not kept for long */
export const idempotencyKeyReused = (key: string, forgotten = false): Refusal =>
  refusal(
    'SVC_VAL_004',
    { field: 'Idempotency-Key', value: key },
    {
      field: 'Idempotency-Key',
      reason: forgotten
        ? 'The request was carried out; its answer has secrets, which are repeated for ten minutes only'
        : 'The key was used for another request',
    },
  )
