import type { ProcessorKind } from './processor-kind.ts'
import { paypalKind } from './paypal/paypal-kind.ts'
import { stripeKind } from './stripe/stripe-kind.ts'

const kinds = { STRIPE: stripeKind, PAYPAL: paypalKind } as const satisfies Record<
  ProcessorKind['name'],
  ProcessorKind
>

/** The processors that merchants can have accounts at, by name. */
export const kindOf = (name: ProcessorKind['name']): ProcessorKind => kinds[name]
