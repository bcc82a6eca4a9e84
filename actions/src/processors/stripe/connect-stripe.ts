import Stripe from 'stripe'

export interface StripeConnection {
  readonly secretKey: string
  /** Where the protocol is spoken; Stripe itself by default. */
  readonly apiUrl?: string | undefined
}

/** Milliseconds for one try; with one retry it all fits into the time that Hasura waits for an action. */
const timeout = 8_000
const retries = 1

export const connectStripe = ({ secretKey, apiUrl }: StripeConnection): Stripe =>
  new Stripe(secretKey, {
    timeout,
    maxNetworkRetries: retries,
    telemetry: false,
    ...(apiUrl !== undefined && endpointOf(new URL(apiUrl))),
  })

const endpointOf = ({ protocol, hostname, port }: URL): Stripe.StripeConfig => ({
  protocol: protocol === 'http:' ? 'http' : 'https',
  host: hostname,
  ...(port !== '' && { port }),
})
