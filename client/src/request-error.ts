import { errorCatalogue, type ErrorCode, type ErrorId } from './generated/error-catalogue.ts'

/** What all errors of a request have. */
interface ErrorParts {
  /** For people. Programs read `kind` and `id`. */
  readonly message: string
  /** The condition in docs/errors.md; null if the answer names none, or one that this release doesn't know. */
  readonly id: ErrorId | null
  /** `extensions.code`, the class of the condition; null if no server answered. */
  readonly code: string | null
  /** The HTTP status that the error stands for; null if no server answered. */
  readonly statusCode: number | null
  /** Names the request to the support of the API; null if no server answered. */
  readonly requestId: string | null
  /** The argument or field at fault, e.g. `input.sku` or `Order.tags`; null if no single one is. */
  readonly field: string | null
  /** Where in the answer the value is missing. Empty if the request was refused as a whole. */
  readonly path: readonly (string | number)[]
  /** What else the condition says, e.g. `reason` and `permission`. */
  readonly details: Readonly<Record<string, unknown>>
}

/** An error of the input, as a mutation's payload has it. */
export interface UserError {
  /** The path within the input, e.g. `variants.0.sku`; null if no single field is at fault. */
  readonly field: string | null
  readonly message: string
  /** A value of the enum ErrorCode. */
  readonly code: ErrorCode
}

/** Why a request has no result, or only a part of it. */
export type RequestError = ErrorParts &
  (
    | {
        /** The mutation refused its input, and changed nothing. `userErrors` has all that is wrong with it. */
        readonly kind: 'refused'
        readonly userErrors: readonly [UserError, ...UserError[]]
      }
    | {
        readonly kind:
          /** The credential is missing, invalid or expired, or the session has ended. */
          | 'unauthenticated'
          /** The credential lacks a permission, or the address is not on the allow-list. */
          | 'forbidden'
          /** The document or a variable is wrong: usually a mistake of the program. */
          | 'invalid'
          /** The record's state excludes it, a unique value is taken, or the Idempotency-Key had another request. */
          | 'conflict'
          /** The server failed, and the same request will probably fail again. */
          | 'internal'
          /** What answered doesn't speak GraphQL: the URL is wrong, or a proxy answered. */
          | 'not-graphql'
          /** No answer, none in time, or a part of the server is away: try again later. */
          | 'unavailable'
          /** The caller's signal was aborted. A mutation may have been executed. */
          | 'aborted'
      }
    | {
        readonly kind: 'insufficient-inventory'
        /** Null where the shop doesn't show quantities. */
        readonly available: number | null
        readonly requested: number | null
      }
    | {
        readonly kind: 'payment-failed'
        /** The processor's reason, e.g. `insufficient_funds`. */
        readonly declineCode: string | null
      }
    | {
        readonly kind: 'rate-limited'
        /** When the request is accepted again, in milliseconds from the answer; null if the answer doesn't say. */
        readonly retryAfterMs: number | null
      }
  )

export type ErrorKind = RequestError['kind']

/** Thrown by what can't return a result: the iterators, and `unwrap`. */
export class RequestFailed extends Error {
  override readonly name = 'RequestFailed'
  readonly error: RequestError

  constructor(error: RequestError) {
    super(error.message, { cause: error })
    this.error = error
  }
}

const kinds = {
  SVC_AUTH_001: 'unauthenticated',
  SVC_AUTH_002: 'unauthenticated',
  SVC_AUTH_003: 'forbidden',
  SVC_AUTH_004: 'forbidden',
  SVC_VAL_001: 'invalid',
  SVC_VAL_002: 'invalid',
  SVC_VAL_003: 'invalid',
  SVC_VAL_004: 'conflict',
  SVC_RATE_001: 'rate-limited',
  SVC_GQL_001: 'invalid',
  SVC_GQL_002: 'invalid',
  SVC_GQL_003: 'invalid',
  SVC_GQL_004: 'invalid',
  SVC_BIZ_001: 'insufficient-inventory',
  SVC_BIZ_002: 'payment-failed',
  SVC_BIZ_003: 'conflict',
  SVC_SRV_001: 'internal',
} as const satisfies Record<ErrorId, ErrorKind>

export const isErrorId = (value: unknown): value is ErrorId =>
  typeof value === 'string' && Object.hasOwn(errorCatalogue, value)

const awayStatuses = new Set([502, 503, 504])

function kindOf(id: ErrorId | null, status: number): (typeof kinds)[ErrorId] | 'unavailable' {
  if (awayStatuses.has(status)) return 'unavailable'
  if (id !== null) return kinds[id]
  if (status === 401) return 'unauthenticated'
  if (status === 403) return 'forbidden'
  if (status === 409) return 'conflict'
  if (status === 429) return 'rate-limited'
  return status >= 500 ? 'internal' : 'invalid'
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const textOr = <Else>(value: unknown, otherwise: Else): string | Else =>
  typeof value === 'string' ? value : otherwise

const numberOr = <Else>(value: unknown, otherwise: Else): number | Else =>
  typeof value === 'number' ? value : otherwise

const isStep = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'

/** What an answer says of itself, beside its errors. */
export interface AnswerFacts {
  readonly status: number
  readonly requestId: string | null
  /** Of the header Retry-After. */
  readonly retryAfterMs: number | null
}

/** An error of an answer's list `errors`. */
export function requestErrorOf(error: unknown, facts: AnswerFacts): RequestError {
  const { message, path, extensions } = isObject(error) ? error : {}
  const known = isObject(extensions) ? extensions : {}
  const details = isObject(known['details']) ? known['details'] : {}
  const id = isErrorId(known['id']) ? known['id'] : null
  const statusCode = numberOr(known['statusCode'], facts.status)
  const parts: ErrorParts = {
    message: textOr(message, 'The request failed.'),
    id,
    code: textOr(known['code'], null),
    statusCode,
    requestId: textOr(known['requestId'], facts.requestId),
    field: textOr(details['field'], null),
    path: Array.isArray(path) ? path.filter(isStep) : [],
    details,
  }
  const kind = kindOf(id, statusCode)
  switch (kind) {
    case 'insufficient-inventory':
      return {
        ...parts,
        kind,
        available: numberOr(details['available'], null),
        requested: numberOr(details['requested'], null),
      }
    case 'payment-failed':
      return { ...parts, kind, declineCode: textOr(details['declineCode'], null) }
    case 'rate-limited': {
      const seconds = numberOr(details['retryAfter'], null)
      return { ...parts, kind, retryAfterMs: seconds === null ? facts.retryAfterMs : seconds * 1000 }
    }
    default:
      return { ...parts, kind }
  }
}

/** An error that no server has described. */
export const localError = (
  kind: 'unavailable' | 'aborted' | 'not-graphql' | 'internal' | 'unauthenticated',
  message: string,
  { status = null, requestId = null }: { status?: number | null; requestId?: string | null } = {},
): RequestError => ({
  kind,
  message,
  id: null,
  code: null,
  statusCode: status,
  requestId,
  field: null,
  path: [],
  details: {},
})

/** The error of a mutation whose payload has errors. */
export function refusal(
  field: string,
  userErrors: readonly [UserError, ...UserError[]],
  requestId: string | null,
): RequestError {
  const [first] = userErrors
  return {
    kind: 'refused',
    message: userErrors.map(({ message }) => message).join('; '),
    id: null,
    code: first.code,
    statusCode: 200,
    requestId,
    field: first.field,
    path: [field],
    details: {},
    userErrors,
  }
}

/** The errors of an answer that is no GraphQL. */
export function notGraphQL(url: string, facts: AnswerFacts): RequestError {
  const { status, requestId } = facts
  const message = `${url} answered without GraphQL, with the HTTP status ${status}`
  // Of a proxy that waits for the server, or limits rates.
  if (status === 429 || status >= 500) return requestErrorOf({ message }, facts)
  return localError('not-graphql', message, { status, requestId })
}
