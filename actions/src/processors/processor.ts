/** A card as far as it may be known to us. */
export interface Card {
  readonly brand: string
  readonly last4: string
  readonly expiryMonth: number
  readonly expiryYear: number
}

/** Why a payment was not taken, in the processor's words. */
export interface Decline {
  /** `card_declined`, `expired_card`, … */
  readonly code: string
  readonly message: string
  /** `insufficient_funds`, `fraudulent`, … */
  readonly declineCode: string | null
}

export interface ChargeRequest {
  /** The same key with the same request is the same charge, however often it is sent. */
  readonly idempotencyKey: string
  /** Minor units. */
  readonly amount: number
  readonly currency: string
  /** The processor's token for what the customer pays with. */
  readonly paymentMethodId: string | null
  /** Whether the money is only reserved now, until `capture`. */
  readonly manualCapture: boolean
  /** Where the customer's browser goes after authentication. */
  readonly returnUrl: string | null
  /** Ours, to find the charge by in the processor's own console. */
  readonly metadata: Readonly<Record<string, string>>
}

/** What the customer has to do before the payment can go on. */
export interface RequiredAction {
  readonly type: string
  readonly clientSecret: string
  readonly redirectUrl: string | null
}

/**
 * What a processor says about a payment. `unknown`: no answer, so anything may have happened. `unauthorized`: it doesn't take
 * our key, so this request has done nothing.
 */
export type ChargeAnswer =
  | {
      readonly status: 'succeeded'
      readonly intentId: string | null
      readonly card: Card | null
      /** Minor units that were taken; null: all that was asked for. */
      readonly captured: number | null
    }
  | {
      readonly status: 'authorized'
      readonly intentId: string
      readonly card: Card | null
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
  | { readonly status: 'cancelled'; readonly intentId: string | null }
  | { readonly status: 'unknown' | 'unauthorized'; readonly cause: unknown }

export interface CaptureRequest {
  readonly idempotencyKey: string
  readonly intentId: string
  /** Minor units; what was reserved beyond it is let go. */
  readonly amount: number
}

export interface RefundRequest {
  /** The same key with the same request is the same refund; the processor keeps it with the refund, to be found by. */
  readonly idempotencyKey: string
  readonly intentId: string | null
  /** Minor units. */
  readonly amount: number
}

export type RefundAnswer =
  | { readonly status: 'succeeded' | 'pending'; readonly refundId: string | null }
  | { readonly status: 'failed'; readonly refundId: string | null; readonly reason: string }
  | { readonly status: 'unknown'; readonly cause: unknown }

/**
 * Who moves the money. Every call has a bounded time and never throws for what a processor or a network does; each
 * answer but `unknown` and `unauthorized` is final or can be asked for again.
 */
export interface PaymentProcessor {
  /** What `payment.payment.processor` holds, so that a payment is settled where it was made. */
  readonly name: string
  /** Days until a refund is with the customer; null when that is unknown. */
  readonly refundDays: number | null
  charge(request: ChargeRequest): Promise<ChargeAnswer>
  /** Takes reserved money. The answer tells what the payment is now, also when it can't be captured any more. */
  capture(request: CaptureRequest): Promise<ChargeAnswer>
  retrieve(intentId: string): Promise<ChargeAnswer>
  /** The charge that was made for a payment of ours, when its answer was lost; null when there is none. */
  find(paymentId: string): Promise<ChargeAnswer | null>
  /** Ends a payment that has not succeeded. The answer tells what it is now. */
  cancel(intentId: string): Promise<ChargeAnswer>
  refund(request: RefundRequest): Promise<RefundAnswer>
  /** The refund that was made for such a request, when its answer was lost; null when there is none. */
  findRefund(request: RefundRequest): Promise<RefundAnswer | null>
  retrieveRefund(refundId: string): Promise<RefundAnswer>
}
