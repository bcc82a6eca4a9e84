import { NO_MERCHANT } from '../operator-key.ts'
import type { MerchantId, Principal } from '../principal.ts'

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
  /** Null: nobody that we know. Told to the operator, who has the log, since no merchant can be. */
  readonly actor: Actor | null
  /** The catalogue's id. */
  readonly code: string
  /** The root fields; null before the document was read. */
  readonly operation: string | null
}

export function actorOf(principal: Principal): Actor {
  if (principal.kind === 'operator')
    return { merchantId: NO_MERCHANT as MerchantId, kind: 'OPERATOR', id: principal.operatorKeyId }
  const { merchantId } = principal
  switch (principal.kind) {
    case 'key':
      return { merchantId, kind: 'KEY', id: principal.keyId }
    case 'user':
      return { merchantId, kind: 'USER', id: principal.userId }
    case 'customer':
      return { merchantId, kind: 'CUSTOMER', id: principal.customerId }
    default:
      return principal satisfies never
  }
}
