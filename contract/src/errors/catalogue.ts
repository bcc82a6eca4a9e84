/**
 * Every condition that a request can be refused for, as the specification's "Catalogued error conditions" lists
 * them. `docs/errors.md` is written from this file and the SDL's `ErrorCode` is checked against it
 * (catalogue.test.ts), so the three can't tell different stories.
 *
 * `code` is the row of the specification's `extensions.code` table with the same HTTP status; 402 has no row there,
 * so a failed payment takes the name that `ErrorCode` has for it. `errorCode` is the value of `ErrorCode` that names
 * the condition most precisely; a `UserError` carries the same value. The specification leaves this mapping open
 * (docs/open-points.md).
 */
export const catalogue = {
  SVC_AUTH_001: {
    code: 'UNAUTHENTICATED',
    errorCode: 'UNAUTHENTICATED',
    status: 401,
    message: 'API key invalid or malformed',
    condition:
      'The key is missing, malformed, unknown, revoked, expired, or a test key on a live deployment.',
  },
  SVC_AUTH_002: {
    code: 'UNAUTHENTICATED',
    errorCode: 'TOKEN_EXPIRED',
    status: 401,
    message: 'The authentication token has expired',
    condition: 'The access token was good once and has expired.',
  },
  SVC_AUTH_003: {
    code: 'UNAUTHORIZED',
    errorCode: 'UNAUTHORIZED',
    status: 403,
    message: 'You have no permission to perform this action',
    condition:
      "The key or role lacks the permission, the field is not for shoppers, the plan lacks the feature, the merchant is suspended or closed, or the record is another merchant's.",
  },
  SVC_AUTH_004: {
    code: 'UNAUTHORIZED',
    errorCode: 'UNAUTHORIZED',
    status: 403,
    message: 'Refused: request from IP address not in whitelist',
    condition: "The merchant's IP allow-list is enabled and the caller's address is not on it.",
  },
  SVC_VAL_001: {
    code: 'BAD_USER_INPUT',
    errorCode: 'REQUIRED_FIELD',
    status: 400,
    message: 'Field [fieldName] is required but was not provided',
    condition: 'A required field or variable is missing, null, or an empty string.',
  },
  SVC_VAL_002: {
    code: 'BAD_USER_INPUT',
    errorCode: 'INVALID_FORMAT',
    status: 400,
    message: 'Field [fieldName] has invalid format. Expected: [format]',
    condition: 'A value can not be read: an e-mail address, phone number, date, id, cursor or enum value.',
  },
  SVC_VAL_003: {
    code: 'BAD_USER_INPUT',
    errorCode: 'OUT_OF_RANGE',
    status: 400,
    message: 'Value [value] is outside acceptable range [min]-[max]',
    condition: 'A number is too small or too large, a text or a list too long, a page too big.',
  },
  SVC_VAL_004: {
    code: 'CONFLICT',
    errorCode: 'ALREADY_EXISTS',
    status: 409,
    message: 'A record with [field]=[value] already exists',
    condition: 'A value that must be unique is taken, or an Idempotency-Key was used for another request.',
  },
  SVC_RATE_001: {
    code: 'RATE_LIMITED',
    errorCode: 'RATE_LIMITED',
    status: 429,
    message: 'API rate limit exceeded. Please retry after [time]',
    condition: "More requests than the merchant's plan allows.",
  },
  SVC_GQL_001: {
    code: 'BAD_USER_INPUT',
    errorCode: null,
    status: 400,
    message: 'Query depth of [depth] exceeds maximum of [max]',
    condition: 'Fields are nested too deeply.',
  },
  SVC_GQL_002: {
    code: 'BAD_USER_INPUT',
    errorCode: null,
    status: 400,
    message: 'Query complexity of [complexity] exceeds maximum of [max]',
    condition:
      'The document asks for too many values: many fields, large lists inside of large lists, many aliases.',
  },
  SVC_GQL_003: {
    code: 'BAD_USER_INPUT',
    errorCode: null,
    status: 400,
    message: 'Syntax Error: [details]',
    condition: 'The request is no valid JSON or GraphQL, or asks for what the schema does not have.',
  },
  SVC_GQL_004: {
    code: 'BAD_USER_INPUT',
    errorCode: null,
    status: 400,
    // The words by which clients of automatic persisted queries know that they have to send the document.
    message: 'PersistedQueryNotFound',
    condition: 'The document of a persisted query is not known here: send it once, with its hash.',
  },
  SVC_BIZ_001: {
    code: 'BAD_USER_INPUT',
    errorCode: 'INSUFFICIENT_INVENTORY',
    status: 400,
    message: 'Insufficient inventory. Available: [available], Requested: [requested]',
    condition: 'Less is in stock than was asked for.',
  },
  SVC_BIZ_002: {
    code: 'PAYMENT_FAILED',
    errorCode: 'PAYMENT_FAILED',
    status: 402,
    message: 'Payment processing failed: [reason]',
    condition:
      'The payment processor declined: card declined, insufficient funds, invalid card, 3-D Secure failed.',
  },
  SVC_BIZ_003: {
    code: 'CONFLICT',
    errorCode: null,
    status: 409,
    message: 'Order [orderId] cannot be modified in status [status]',
    condition: 'The order is shipped, delivered, cancelled, refunded, or otherwise past the point of change.',
  },
  SVC_SRV_001: {
    code: 'INTERNAL_SERVER_ERROR',
    errorCode: 'INTERNAL_SERVER_ERROR',
    status: 500,
    message: 'An unexpected error occurred. Please try again.',
    condition: 'Our fault, or a part that we depend on is away. The log has the cause under the requestId.',
  },
} as const satisfies Record<string, CatalogueEntry>

interface CatalogueEntry {
  readonly code: ExtensionsCode
  readonly errorCode: ErrorCode | null
  /** HTTP status. */
  readonly status: number
  /** The bracketed words are replaced, with their brackets. */
  readonly message: string
  /** For the documentation. */
  readonly condition: string
}

export type CatalogueId = keyof typeof catalogue

/** `extensions.code`: the specification's table, and PAYMENT_FAILED for the one status that has no row there. */
export type ExtensionsCode =
  | 'UNAUTHENTICATED'
  | 'UNAUTHORIZED'
  | 'NOT_FOUND'
  | 'BAD_USER_INPUT'
  | 'CONFLICT'
  | 'RATE_LIMITED'
  | 'PAYMENT_FAILED'
  | 'INTERNAL_SERVER_ERROR'
  | 'SERVICE_UNAVAILABLE'

/** The SDL's enumeration of the same name; the codes of `UserError` are among them. */
export const errorCodes = [
  'UNAUTHENTICATED',
  'UNAUTHORIZED',
  'TOKEN_EXPIRED',
  'REQUIRED_FIELD',
  'INVALID_VALUE',
  'INVALID_FORMAT',
  'OUT_OF_RANGE',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'INSUFFICIENT_INVENTORY',
  'PAYMENT_FAILED',
  'INVALID_COUPON',
  'INTERNAL_SERVER_ERROR',
  'SERVICE_UNAVAILABLE',
  'RATE_LIMITED',
] as const

export type ErrorCode = (typeof errorCodes)[number]

type PlaceholderOf<Message extends string> = Message extends `${string}[${infer Name}]${infer Rest}`
  ? Name | PlaceholderOf<Rest>
  : never

/** The values that a condition's message needs, by the names in its brackets. */
export type MessageValues<Id extends CatalogueId> = Readonly<
  Record<PlaceholderOf<(typeof catalogue)[Id]['message']>, string | number>
>

/** The condition's message with its placeholders filled in; long values are cut. */
export function messageOf<Id extends CatalogueId>(id: Id, values: MessageValues<Id>): string {
  const byName: Readonly<Record<string, string | number>> = values
  return catalogue[id].message.replaceAll(/\[(\w+)\]/g, (_, name: string) => clip(String(byName[name])))
}

/** Messages quote the client's values, but not a megabyte of them. */
export const clip = (text: string): string => (text.length > 200 ? `${text.slice(0, 200)}…` : text)
