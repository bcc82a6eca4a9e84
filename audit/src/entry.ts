import type { MerchantId } from '@commerce-graph/contract/ids'

/** The caller, as far as its credential identifies it. */
export interface Actor {
  /** NO_MERCHANT for an operator's action that concerns no merchant. */
  readonly merchantId: MerchantId
  readonly kind: 'KEY' | 'USER' | 'CUSTOMER' | 'OPERATOR'
  /** Null if only the merchant is known. */
  readonly id: string | null
}

/** The origin of a request, and its id in the logs. */
export interface Origin {
  readonly clientAddress: string | null
  readonly requestId: string | null
  /** CONTRACT: /graphql. HASURA: Hasura's own API. */
  readonly source: 'CONTRACT' | 'HASURA'
}

/** The requested operation. */
export interface AuditedOperation {
  /** The client's name for its operation. */
  readonly operationName: string | null
  /** The root field. */
  readonly operation: string
}

export interface Outcome {
  /** INVALID: user errors. REFUSED: an error of the catalogue. FAILED: an internal error; its effect is unknown. */
  readonly outcome: 'DONE' | 'INVALID' | 'REFUSED' | 'FAILED'
  /** The codes of the user errors, or the catalogue's id. */
  readonly codes: readonly string[]
  readonly targetIds: readonly string[]
}

/** An entry for a mutation, without its outcome. Never holds a value of its input other than ids. */
export type Attempt = Actor & Origin & AuditedOperation

/** An access that was refused. */
export type RefusedAccess = Origin & {
  /** Null: unknown. Such an entry belongs to no merchant, so it goes to the operator's log. */
  readonly actor: Actor | null
  /** The catalogue's id. */
  readonly code: string
  /** The root fields; null if the document was not read. */
  readonly operation: string | null
}
