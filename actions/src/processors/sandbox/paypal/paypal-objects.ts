import type { PaypalMoney } from '../../paypal/paypal-money.ts'

/** The answer of an endpoint of PayPal: a status and a body. */
export interface PaypalAnswer {
  readonly status: number
  readonly body: object
}

export interface Link {
  readonly href: string
  readonly rel: string
  readonly method: 'GET' | 'POST'
}

interface Transaction {
  readonly id: string
  readonly amount: PaypalMoney
  readonly custom_id?: string
  readonly create_time: string
  readonly update_time: string
  readonly links: readonly Link[]
}

export interface Authorization extends Transaction {
  readonly status: 'CREATED' | 'CAPTURED' | 'VOIDED'
  readonly expiration_time: string
}

export interface Capture extends Transaction {
  readonly status: 'COMPLETED' | 'PENDING' | 'PARTIALLY_REFUNDED' | 'REFUNDED'
  readonly status_details?: { readonly reason: 'ECHECK' } | undefined
  readonly final_capture: boolean
}

export interface Refund extends Transaction {
  readonly status: 'COMPLETED'
}

export interface Payments {
  readonly authorizations?: readonly Authorization[]
  readonly captures?: readonly Capture[]
  readonly refunds?: readonly Refund[]
}

/** A customer wants money back. */
export interface Dispute {
  readonly dispute_id: string
  readonly create_time: string
  readonly update_time: string
  readonly disputed_transactions: readonly {
    readonly seller_transaction_id: string
    readonly gross_amount: PaypalMoney
  }[]
  readonly reason: string
  readonly status: 'WAITING_FOR_SELLER_RESPONSE' | 'RESOLVED'
  readonly dispute_amount: PaypalMoney
  readonly dispute_life_cycle_stage: 'CHARGEBACK'
  readonly dispute_outcome?: { readonly outcome_code: string }
  readonly seller_response_due_date?: string | undefined
  readonly links: readonly Link[]
}

/** An order, as far as anything here or in processors/paypal reads it. */
export interface Order {
  readonly id: string
  readonly intent: 'CAPTURE' | 'AUTHORIZE'
  readonly status: 'PAYER_ACTION_REQUIRED' | 'APPROVED' | 'COMPLETED'
  readonly payment_source: { readonly paypal: object }
  readonly purchase_units: readonly [
    {
      readonly reference_id: string
      readonly custom_id?: string
      readonly amount: PaypalMoney
      readonly payments?: Payments
    },
  ]
  readonly create_time: string
  readonly update_time: string
  readonly links: readonly Link[]
}

export const answered = (status: number, body: object): PaypalAnswer => ({ status, body })

const debugId = 'f1d2d2f924e98'

/** @param issue PayPal's word for the reason, of its documents */
export const unprocessable = (issue: string, description: string): PaypalAnswer =>
  answered(422, {
    name: 'UNPROCESSABLE_ENTITY',
    message:
      'The requested action could not be performed, semantically incorrect, or failed business validation.',
    details: [{ issue, description }],
    debug_id: debugId,
  })

export const malformed = (field: string, issue: string): PaypalAnswer =>
  answered(400, {
    name: 'INVALID_REQUEST',
    message: 'Request is not well-formed, syntactically incorrect, or violates schema.',
    details: [{ field, location: 'body', issue, description: 'The value of a field is invalid.' }],
    debug_id: debugId,
  })

export const missing: PaypalAnswer = answered(404, {
  name: 'RESOURCE_NOT_FOUND',
  message: 'The specified resource does not exist.',
  details: [
    {
      issue: 'INVALID_RESOURCE_ID',
      description: 'Specified resource ID does not exist. Please check the resource ID and try again.',
    },
  ],
  debug_id: debugId,
})

export const serverError: PaypalAnswer = answered(500, {
  name: 'INTERNAL_SERVER_ERROR',
  message: 'An internal server error occurred.',
  debug_id: debugId,
})

export const refusedAsAsked = unprocessable(
  'TRANSACTION_REFUSED',
  'The sandbox refuses this request, as it was asked to.',
)
