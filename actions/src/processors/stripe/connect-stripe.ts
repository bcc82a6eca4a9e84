import Stripe from 'stripe'

export interface StripeConnection {
  readonly secretKey: string
  /** Where the protocol is spoken; Stripe itself by default. */
  readonly apiUrl?: string | undefined
  /** Milliseconds for one try; 8 seconds unless said. */
  readonly timeout?: number | undefined
}

/** With one retry it all fits into the time that Hasura waits for an action. */
const defaultTimeout = 8_000
const retries = 1

export const connectStripe = ({ secretKey, apiUrl, timeout = defaultTimeout }: StripeConnection): Stripe =>
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
