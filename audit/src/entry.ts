import type { MerchantId } from '@commerce-graph/contract/ids'

/** Whose doing it was, as far as a credential says. */
export interface Actor {
  /** NO_MERCHANT where an operator did something that is about none. */
  readonly merchantId: MerchantId
  readonly kind: 'KEY' | 'USER' | 'CUSTOMER' | 'OPERATOR'
  /** Null where only the merchant is known. */
  readonly id: string | null
}

/** Where a request came from and how it may be found again. */
export interface Origin {
  readonly clientAddress: string | null
  readonly requestId: string | null
  /** CONTRACT: /graphql. HASURA: Hasura's own API. */
  readonly source: 'CONTRACT' | 'HASURA'
}

/** What was asked for. */
export interface AuditedOperation {
  /** The client's name for its operation. */
  readonly operationName: string | null
  /** The root field. */
  readonly operation: string
}

export interface Outcome {
  /** INVALID: user errors. REFUSED: one of the catalogue's conditions. FAILED: our fault, and what it did isn't known. */
  readonly outcome: 'DONE' | 'INVALID' | 'REFUSED' | 'FAILED'
  /** Of the user errors, or the catalogue's id. */
  readonly codes: readonly string[]
  readonly targetIds: readonly string[]
}

/** A mutation as it is written down, but for how it ended. Never holds a value of its input that is no id. */
export type Attempt = Actor & Origin & AuditedOperation

/** An access that was refused. */
export type RefusedAccess = Origin & {
  /** Null: unknown. Such an entry goes to the operator's log, as it belongs to no merchant. */
  readonly actor: Actor | null
  /** The catalogue's id. */
  readonly code: string
  /** The root fields; null before the document was read. */
  readonly operation: string | null
}
