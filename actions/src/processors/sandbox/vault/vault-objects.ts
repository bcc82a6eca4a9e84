import { stripeId } from '../stripe-id.ts'
import type { SandboxCard, StripeError } from '../stripe-objects.ts'
import type { TestPaymentMethod } from '../test-payment-methods.ts'

/** A Stripe Customer, as far as anything here or in processors/stripe reads it. */
export interface Customer {
  readonly id: string
  readonly object: 'customer'
  readonly created: number
  readonly default_source: null
  readonly description: null
  readonly email: string | null
  readonly livemode: false
  readonly metadata: Readonly<Record<string, string>>
  readonly shipping: null
}

/** A card that belongs, or belonged, to a customer. */
export interface AttachedMethod {
  readonly id: string
  readonly object: 'payment_method'
  readonly type: 'card'
  readonly billing_details: typeof noDetails
  readonly card: SandboxCard
  readonly created: number
  readonly customer: string | null
  readonly livemode: false
  readonly metadata: object
}

export interface SetupIntent {
  readonly id: string
  readonly object: 'setup_intent'
  readonly application: null
  readonly cancellation_reason: null
  readonly client_secret: string
  readonly created: number
  readonly customer: string
  readonly description: null
  readonly flow_directions: null
  readonly last_setup_error: StripeError | null
  readonly latest_attempt: null
  readonly livemode: false
  readonly mandate: null
  readonly metadata: Readonly<Record<string, string>>
  readonly next_action: {
    readonly type: 'redirect_to_url'
    readonly redirect_to_url: { readonly url: string; readonly return_url: string | null }
  } | null
  readonly on_behalf_of: null
  /** Shown as its id where a request doesn't ask for the whole. */
  readonly payment_method: AttachedMethod | null
  readonly payment_method_options: null
  readonly payment_method_types: readonly ['card']
  readonly single_use_mandate: null
  readonly status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled'
  readonly usage: 'off_session' | 'on_session'
}

const noDetails = { address: null, email: null, name: null, phone: null } as const

const now = (): number => Math.floor(Date.now() / 1000)

export const newCustomer = (metadata: Customer['metadata'], email: string | null): Customer => ({
  id: stripeId('cus'),
  object: 'customer',
  created: now(),
  default_source: null,
  description: null,
  email,
  livemode: false,
  metadata,
  shipping: null,
})

/** @param customer null: it is attached to none yet */
export const newMethod = (id: string, card: SandboxCard, customer: string | null): AttachedMethod => ({
  id,
  object: 'payment_method',
  type: 'card',
  billing_details: noDetails,
  card,
  created: now(),
  customer,
  livemode: false,
  metadata: {},
})

export interface NewSetup {
  readonly customer: string
  readonly metadata: SetupIntent['metadata']
  readonly usage: SetupIntent['usage']
}

export function newSetup({ customer, metadata, usage }: NewSetup): SetupIntent {
  const id = stripeId('seti')
  return {
    id,
    object: 'setup_intent',
    application: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${stripeId('x').slice(2)}`,
    created: now(),
    customer,
    description: null,
    flow_directions: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata,
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage,
  }
}

/** How a setup stands after a test card was tried. @param authenticationUrl where the customer proves to own it */
export function confirmSetup(
  setup: SetupIntent,
  method: AttachedMethod,
  behaviour: TestPaymentMethod['behaviour'],
  { authenticationUrl, returnUrl }: { readonly authenticationUrl: string; readonly returnUrl: string | null },
): SetupIntent {
  switch (behaviour.kind) {
    case 'succeed':
    case 'later':
      return setUp({ ...setup, payment_method: method })
    case 'decline':
      return setupFailed(setup, behaviour.error)
    case 'authenticate':
      return {
        ...setup,
        payment_method: method,
        status: 'requires_action',
        next_action: {
          type: 'redirect_to_url',
          redirect_to_url: { url: authenticationUrl, return_url: returnUrl },
        },
      }
    default:
      return behaviour satisfies never
  }
}

/** The card belongs to the customer now. */
export const setUp = (setup: SetupIntent): SetupIntent => ({
  ...setup,
  status: 'succeeded',
  next_action: null,
  payment_method: setup.payment_method && { ...setup.payment_method, customer: setup.customer },
})

export const setupFailed = (setup: SetupIntent, error: StripeError): SetupIntent => ({
  ...setup,
  status: 'requires_payment_method',
  next_action: null,
  payment_method: null,
  last_setup_error: error,
})
