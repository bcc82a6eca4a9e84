import Stripe from 'stripe'

export interface StripeConnection {
  readonly secretKey: string
  /** Where the protocol is spoken; Stripe itself by default. */
  readonly apiUrl?: string | undefined
}

/** Milliseconds for one try; with one retry it all fits into the time that Hasura waits for an action. */
const TIMEOUT = 8_000
const RETRIES = 1

export function connectStripe({ secretKey, apiUrl }: StripeConnection): Stripe {
  return new Stripe(secretKey, {
    timeout: TIMEOUT,
    maxNetworkRetries: RETRIES,
    telemetry: false,
    ...(apiUrl !== undefined && endpointOf(new URL(apiUrl))),
  })
}

function endpointOf({ protocol, hostname, port }: URL): Stripe.StripeConfig {
  return { protocol: protocol === 'http:' ? 'http' : 'https', host: hostname, ...(port !== '' && { port }) }
}
