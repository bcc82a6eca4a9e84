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

/** What a processor says about a payment. `unknown`: no answer, so anything may have happened. */
export type ChargeAnswer =
  | { readonly status: 'succeeded'; readonly intentId: string | null; readonly card: Card | null }
  | {
      readonly status: 'declined'
      readonly intentId: string | null
      readonly card: Card | null
      readonly decline: Decline
    }
  | { readonly status: 'requires_action'; readonly intentId: string; readonly action: RequiredAction }
  | { readonly status: 'processing'; readonly intentId: string }
  | { readonly status: 'cancelled'; readonly intentId: string }
  | { readonly status: 'unknown'; readonly cause: unknown }

export interface RefundRequest {
  readonly idempotencyKey: string
  readonly intentId: string | null
  /** Minor units. */
  readonly amount: number
}

export type RefundAnswer =
  | { readonly status: 'succeeded' | 'pending'; readonly refundId: string | null }
  | { readonly status: 'failed'; readonly refundId: string | null; readonly cause: unknown }
  | { readonly status: 'unknown'; readonly cause: unknown }

/**
 * Who moves the money. Every call has a bounded time and never throws for what a processor or a network does; each
 * answer but `unknown` is final or can be asked for again.
 */
export interface PaymentProcessor {
  /** What `payment.payment.processor` holds, so that a payment is settled where it was made. */
  readonly name: string
  /** Days until a refund is with the customer; null when nobody can say. */
  readonly refundDays: number | null
  charge(request: ChargeRequest): Promise<ChargeAnswer>
  retrieve(intentId: string): Promise<ChargeAnswer>
  /** Ends a payment that has not succeeded. The answer tells what it is now. */
  cancel(intentId: string): Promise<ChargeAnswer>
  refund(request: RefundRequest): Promise<RefundAnswer>
  retrieveRefund(refundId: string): Promise<RefundAnswer>
}
