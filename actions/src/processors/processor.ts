import type { AmountRefusal, Card, Decline, RequiredAction } from './answer-parts.ts'
import type { MethodVault } from './method-vault.ts'

export type { AmountRefusal, Card, Decline, RequiredAction }

/** The methods of payment, by the contract's names. */
export type PaymentMethod = OnlineMethod | OfflineMethod | BalanceMethod | ImportedMethod

/** The methods whose money a processor moves. */
export type OnlineMethod = 'CARD' | 'PAYPAL' | 'APPLE_PAY' | 'GOOGLE_PAY' | 'SEPA_DEBIT'

/** The methods whose money comes outside of the platform. */
export type OfflineMethod = 'CASH' | 'BANK_TRANSFER' | 'INVOICE' | 'CASH_ON_DELIVERY'

/** The methods whose money is a balance in the database. */
export type BalanceMethod = 'LOYALTY_POINTS'

/** The method of payments that were made in another system. No new payment has it. */
export type ImportedMethod = 'EXTERNAL'

/** Amounts here are the platform's: minor units by ISO 4217. An adapter converts them to its processor's unit. */
export interface ChargeRequest {
  /** The same key with the same request is the same charge, however often it is sent. */
  readonly idempotencyKey: string
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  readonly method: PaymentMethod
  /** The processor's token for what the customer pays with. */
  readonly paymentMethodId: string | null
  /** The shopper's record at the processor, to pay with a method that is saved there, or to save this one; null or absent: none. */
  readonly customer?: { readonly id: string; readonly keepsMethod: boolean } | null
  /** Whether the money is only reserved now, until `capture`. */
  readonly manualCapture: boolean
  /** Where the customer's browser goes after authentication. */
  readonly returnUrl: string | null
  /** Ours, to find the charge by in the processor's own console. */
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * The state of a payment at the processor. `unknown`: no answer, so anything may have happened. `unauthorized`: the
 * processor refuses our key, so this request has done nothing.
 */
export type ChargeAnswer =
  | {
      readonly status: 'succeeded'
      readonly intentId: string | null
      readonly card: Card | null
      /** The method that was charged, if the processor names it otherwise than the request did. */
      readonly methodId?: string | null
      /** Minor units that were taken in all; null: all that was asked for. */
      readonly captured: number | null
      /** Minor units that can still be taken, when some of the reserved money was. */
      readonly capturable: number
    }
  | {
      readonly status: 'authorized'
      readonly intentId: string
      readonly card: Card | null
      readonly methodId?: string | null
      /** When the processor lets go of the money, ISO 8601. */
      readonly captureBefore: string
    }
  | {
      readonly status: 'declined'
      readonly intentId: string | null
      readonly card: Card | null
      readonly decline: Decline
    }
  | { readonly status: 'requires_action'; readonly intentId: string; readonly action: RequiredAction }
  | { readonly status: 'processing'; readonly intentId: string }
  /** The customer has agreed. The processor takes nothing until `take` asks for it. */
  | { readonly status: 'approved'; readonly intentId: string }
  /** The answer to `cancel`: the processor can't end it, and takes nothing until `take` asks for it. */
  | { readonly status: 'untaken'; readonly intentId: string }
  | { readonly status: 'cancelled'; readonly intentId: string | null }
  | { readonly status: 'unknown' | 'unauthorized'; readonly cause: unknown }

export interface CaptureRequest {
  readonly idempotencyKey: string
  readonly intentId: string
  /** Minor units that are to have been taken in all, earlier captures included. */
  readonly total: number
  /** Minor units that earlier captures took. */
  readonly captured: number
  readonly currency: string
  /** Whether what was reserved beyond it is let go. Else it can be captured later, if the processor can do that. */
  readonly final: boolean
}

export interface RefundRequest {
  /** The same key with the same request is the same refund; the processor keeps it with the refund, to be found by. */
  readonly idempotencyKey: string
  readonly intentId: string | null
  /** Minor units. */
  readonly amount: number
  readonly currency: string
}

export type RefundAnswer =
  | { readonly status: 'succeeded' | 'pending'; readonly refundId: string | null }
  | { readonly status: 'failed'; readonly refundId: string | null; readonly reason: string }
  | { readonly status: 'unknown'; readonly cause: unknown }

/** A refund as the processor has it, whether or not it was asked for here. */
export interface MadeRefund {
  readonly refundId: string
  /** Minor units. */
  readonly amount: number
  readonly status: 'SUCCEEDED' | 'PENDING' | 'FAILED'
  /** Why it failed. */
  readonly reason: string | null
  /** The key of our request for it; null: it was made at the processor. */
  readonly request: string | null
}

/** A customer's bank asks for money back. */
export interface Dispute {
  readonly disputeId: string
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  /** In the processor's words: `fraudulent`, `product_not_received` … */
  readonly reason: string
  readonly status: 'NEEDS_RESPONSE' | 'UNDER_REVIEW' | 'WON' | 'LOST' | 'CLOSED'
  /** Until when evidence can be handed in, ISO 8601. */
  readonly evidenceDueAt: string | null
  /** ISO 8601. */
  readonly createdAt: string
}

/** The refunds and disputes of a payment at the processor; `unknown`: no answer. */
export type Activity =
  | {
      readonly status: 'known'
      /** Oldest first. */
      readonly refunds: readonly MadeRefund[]
      readonly disputes: readonly Dispute[]
    }
  | { readonly status: 'unknown'; readonly cause: unknown }

/**
 * A payment processor. Every call has a time limit and never throws for a failure of the processor or the network.
 * Each answer except `unknown` and `unauthorized` is final, or can be requested again.
 */
export interface PaymentProcessor {
  /** The value of `payment.payment.processor`. A payment is settled with the processor that it was made with. */
  readonly name: string
  /** Days until a refund is with the customer; null when that is unknown. */
  readonly refundDays: number | null
  /** Where it keeps shoppers' methods for later payments; null: it keeps none for us. */
  readonly vault: MethodVault | null
  /** Why it can't move such an amount, in minor units; null: it can. The processor is not asked. */
  refusalOf(amount: number, currency: string): AmountRefusal | null
  charge(request: ChargeRequest): Promise<ChargeAnswer>
  /**
   * Takes reserved money; repeated, it takes nothing twice. The answer tells what the payment is now, also when it can't be captured
   * any more.
   */
  capture(request: CaptureRequest): Promise<ChargeAnswer>
  /** Lets go of what was not captured of a payment. The answer tells what it is now. */
  release(intentId: string): Promise<ChargeAnswer>
  retrieve(intentId: string): Promise<ChargeAnswer>
  /** Takes, or reserves, what the customer has approved. Repeated, it takes nothing twice. */
  take(intentId: string): Promise<ChargeAnswer>
  /** The charge that was made for a payment of ours, when its answer was lost; null when there is none. */
  find(paymentId: string): Promise<ChargeAnswer | null>
  /** Ends a payment of which nothing was taken. The answer tells what it is now. */
  cancel(intentId: string): Promise<ChargeAnswer>
  refund(request: RefundRequest): Promise<RefundAnswer>
  /** The refund that was made for such a request, when its answer was lost; null when there is none. */
  findRefund(request: RefundRequest): Promise<RefundAnswer | null>
  retrieveRefund(refundId: string): Promise<RefundAnswer>
  /** The refunds and disputes of a payment, those too that were made at the processor. */
  activity(intentId: string): Promise<Activity>
}
