type IntentStatus =
  | 'requires_payment_method'
  | 'requires_action'
  | 'requires_capture'
  | 'processing'
  | 'succeeded'
  | 'canceled'

/** A Stripe PaymentIntent, as far as anything here or in processors/stripe reads it. */
export interface PaymentIntent {
  readonly id: string
  readonly object: 'payment_intent'
  readonly amount: number
  readonly amount_capturable: number
  readonly amount_received: number
  readonly capture_method: 'automatic' | 'manual'
  readonly currency: string
  readonly customer: string | null
  /** Whether its card is attached to the customer. */
  readonly setup_future_usage: 'off_session' | 'on_session' | null
  readonly status: IntentStatus
  readonly client_secret: string
  readonly created: number
  readonly livemode: false
  readonly metadata: Readonly<Record<string, string>>
  readonly payment_method: string | null
  readonly payment_method_options: PaymentMethodOptions
  readonly latest_charge: Charge | null
  readonly next_action: NextAction | null
  readonly last_payment_error: (StripeError & { readonly payment_method?: SandboxPaymentMethod }) | null
}

export interface PaymentMethodOptions {
  readonly card?: { readonly request_multicapture?: 'if_available' | 'never' | undefined } | undefined
}

export interface Charge {
  readonly id: string
  readonly object: 'charge'
  readonly amount: number
  readonly amount_captured: number
  readonly amount_refunded: number
  readonly billing_details: BillingDetails
  readonly captured: boolean
  readonly created: number
  readonly currency: string
  readonly disputed: boolean
  readonly livemode: false
  readonly metadata: Readonly<Record<string, string>>
  readonly paid: true
  readonly payment_intent: string
  readonly refunded: boolean
  readonly status: 'succeeded'
  readonly payment_method_details: {
    readonly type: 'card' | 'paypal' | 'sepa_debit'
    readonly card?: SandboxCard & {
      readonly capture_before?: number
      readonly multicapture?: { readonly status: 'available' | 'unavailable' }
    }
  }
}

/** The sandbox asks no customer for theirs. */
interface BillingDetails {
  readonly address: null
  readonly email: null
  readonly name: null
  readonly phone: null
}

/** The card of a declined payment. */
interface SandboxPaymentMethod {
  readonly id: string
  readonly object: 'payment_method'
  readonly type: 'card'
  readonly billing_details: BillingDetails
  readonly created: number
  readonly livemode: false
  readonly card: SandboxCard
}

interface NextAction {
  readonly type: 'redirect_to_url'
  readonly redirect_to_url: { readonly url: string; readonly return_url: string | null }
}

export interface Refund {
  readonly id: string
  readonly object: 'refund'
  readonly amount: number
  readonly charge: string
  readonly currency: string
  readonly payment_intent: string
  readonly metadata: Readonly<Record<string, string>>
  readonly status: 'succeeded' | 'pending' | 'failed'
  readonly failure_reason?: string
  readonly created: number
}

export interface Dispute {
  readonly id: string
  readonly object: 'dispute'
  readonly amount: number
  readonly balance_transactions: readonly []
  readonly currency: string
  readonly charge: string
  readonly enhanced_eligibility_types: readonly []
  readonly evidence: { readonly enhanced_evidence: object; readonly uncategorized_text: string | null }
  readonly is_charge_refundable: boolean
  readonly payment_intent: string
  readonly reason: string
  readonly status: 'needs_response' | 'under_review' | 'won' | 'lost'
  readonly evidence_details: {
    readonly due_by: number | null
    readonly enhanced_eligibility: object
    readonly has_evidence: boolean
    readonly past_due: boolean
    readonly submission_count: number
  }
  readonly metadata: Readonly<Record<string, string>>
  readonly livemode: false
  readonly created: number
}

export interface WebhookEndpoint {
  readonly id: string
  readonly object: 'webhook_endpoint'
  readonly url: string
  readonly secret: string
  readonly enabled_events: readonly string[]
  readonly metadata: Readonly<Record<string, string>>
  readonly status: 'enabled'
  readonly livemode: false
  readonly created: number
}

/** The `error` object of a Stripe answer. */
export interface StripeError {
  readonly type: 'card_error' | 'invalid_request_error' | 'idempotency_error' | 'api_error'
  readonly message: string
  readonly code?: string
  readonly decline_code?: string
  readonly param?: string
  readonly payment_intent?: PaymentIntent
  readonly setup_intent?: { readonly id: string }
}

export interface SandboxCard {
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
  readonly funding: 'credit'
}
