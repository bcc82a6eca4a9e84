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

/** The step that the customer has to take before the payment can go on. */
export interface RequiredAction {
  readonly type: string
  readonly clientSecret: string
  readonly redirectUrl: string | null
}

/** Why an amount is not sent to a processor: it doesn't take the currency, or not so small a part of it. */
export type AmountRefusal = 'currency_not_supported' | 'decimals_not_supported'
