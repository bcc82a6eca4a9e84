import {
  catalogue,
  type CatalogueId,
  type ExtensionsCode,
  messageOf,
  type MessageValues,
} from './catalogue.ts'

/** A refusal, before it is sent: everything but what belongs to the answer (request id and time). */
export interface CatalogueError {
  readonly id: CatalogueId
  readonly code: ExtensionsCode
  /** HTTP status; the catalogue's, save where HTTP itself has a more precise one (`withStatus`). */
  readonly status: number
  readonly message: string
  readonly details: ErrorDetails
  readonly path?: readonly (string | number)[]
  readonly locations?: readonly { readonly line: number; readonly column: number }[]
}

/** `field` is where in the request the fault is; `reason` says more than the message. Conditions may add their own. */
export interface ErrorDetails {
  readonly field?: string
  readonly reason: string
  readonly [detail: string]: unknown
}

/**
 * A catalogued condition as an error to answer with.
 *
 * @param values what the message's placeholders stand for
 * @param details where and why; the reason is the message itself when none is given
 */
export function catalogueError<Id extends CatalogueId>(
  id: Id,
  values: MessageValues<Id>,
  details: Partial<ErrorDetails> = {},
): CatalogueError {
  const { code, status } = catalogue[id]
  const message = messageOf(id, values)
  return { id, code, status, message, details: { ...details, reason: details.reason ?? message } }
}

/** HTTP has statuses of its own for what is wrong with a request as such, and proxies and clients act upon them. */
export function withStatus(
  error: CatalogueError,
  status: 403 | 404 | 405 | 408 | 413 | 415 | 416 | 417 | 431 | 503,
): CatalogueError {
  const code = status === 404 ? 'NOT_FOUND' : status === 503 ? 'SERVICE_UNAVAILABLE' : error.code
  return { ...error, status, code }
}

export const withPath = (error: CatalogueError, path: readonly (string | number)[]): CatalogueError => ({
  ...error,
  path,
})

/** SVC_VAL_001: a required field, argument or variable that is missing or null. */
export const fieldRequired = (field: string): CatalogueError =>
  catalogueError('SVC_VAL_001', { fieldName: field }, { field })

/** SVC_VAL_002. @param format what would have been right, e.g. `ISO 8601 date YYYY-MM-DD` */
export const invalidFormat = (field: string, format: string, reason?: string): CatalogueError =>
  catalogueError('SVC_VAL_002', { fieldName: field, format }, { field, ...(reason && { reason }) })

/** SVC_VAL_003. */
export const outOfRange = (field: string, value: string | number, min: number, max: number): CatalogueError =>
  catalogueError('SVC_VAL_003', { value, min, max }, { field })

/** SVC_GQL_003. @param details what is wrong with the document, without a leading `Syntax Error:` */
export const syntaxError = (details: string, field = 'query'): CatalogueError =>
  catalogueError('SVC_GQL_003', { details }, { reason: details, field })

/** SVC_RATE_001. @param retryAfter seconds */
export function rateLimited(
  retryAfter: number,
  reason: string,
  details: Readonly<Record<string, unknown>> = {},
): CatalogueError {
  const time = retryAfter === 1 ? '1 second' : `${retryAfter} seconds`
  return catalogueError('SVC_RATE_001', { time }, { reason, retryAfter, ...details })
}

/** SVC_SRV_001. The cause belongs into the log, never in here. */
export const unexpectedError = (): CatalogueError => catalogueError('SVC_SRV_001', {})
