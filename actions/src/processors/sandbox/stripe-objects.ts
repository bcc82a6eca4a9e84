type IntentStatus =
  'requires_payment_method' | 'requires_action' | 'requires_capture' | 'succeeded' | 'canceled'

/** A Stripe PaymentIntent, as far as anything here or in processors/stripe reads it. */
export interface PaymentIntent {
  readonly id: string
  readonly object: 'payment_intent'
  readonly amount: number
  readonly amount_received: number
  readonly capture_method: 'automatic' | 'manual'
  readonly currency: string
  readonly status: IntentStatus
  readonly client_secret: string
  readonly created: number
  readonly livemode: false
  readonly metadata: Readonly<Record<string, string>>
  readonly payment_method: string | null
  readonly latest_charge: Charge | null
  readonly next_action: NextAction | null
  readonly last_payment_error:
    (StripeError & { readonly payment_method: { readonly card: SandboxCard } }) | null
}

export interface Charge {
  readonly id: string
  readonly object: 'charge'
  readonly amount: number
  readonly amount_refunded: number
  readonly payment_method_details: {
    readonly type: 'card'
    readonly card: SandboxCard & { readonly capture_before?: number }
  }
}

interface NextAction {
  readonly type: 'redirect_to_url'
  readonly redirect_to_url: { readonly url: string; readonly return_url: string | null }
}

/** The `error` object of a Stripe answer. */
export interface StripeError {
  readonly type: 'card_error' | 'invalid_request_error' | 'idempotency_error'
  readonly message: string
  readonly code?: string
  readonly decline_code?: string
  readonly param?: string
  readonly payment_intent?: PaymentIntent
}

export interface SandboxCard {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
}
