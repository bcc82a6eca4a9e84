import Stripe from 'stripe'
import type {
  AccountCredentials,
  ProcessorEndpoints,
  ProcessorKind,
  WebhookReading,
} from '../processor-kind.ts'
import { checkStripeKey } from './check-stripe-key.ts'
import type { StripeConnection } from './connect-stripe.ts'
import { createStripeProcessor } from './stripe-processor.ts'

/** Seconds that a webhook's signature is good for, as Stripe recommends. */
const tolerance = 300

/** The prefix of the keys of accounts at the sandbox. Each key is an account of its own there. */
const sandboxKey = /^sk_test_sandbox/

const keyForm = /^(?:sk|rk)_(live|test)_\w+$/

/** Stripe, with a merchant's own account. */
export const stripeKind: ProcessorKind = {
  name: 'STRIPE',
  modeOf: ({ clientId, secretKey }) => {
    if (clientId !== null) return null
    const mode = keyForm.exec(secretKey)?.[1]
    return mode === undefined ? null : mode === 'live' ? 'LIVE' : 'TEST'
  },
  check: (credentials, endpoints) => checkStripeKey(connectionOf(credentials, endpoints)),
  connect: (credentials, endpoints) =>
    createStripeProcessor({ name: 'stripe', ...connectionOf(credentials, endpoints) }),
  readWebhook: ({ headers, body }, { webhookSecret }) => {
    const signature = headers['stripe-signature']
    if (webhookSecret === null) return refused('The account has no webhook secret')
    if (typeof signature !== 'string') return refused('The header Stripe-Signature is missing')
    try {
      const event = Stripe.webhooks.constructEvent(body, signature, webhookSecret, tolerance)
      return Promise.resolve({
        kind: 'event',
        id: event.id,
        type: event.type,
        intentId: intentIdOf(event.data.object),
        paymentId: paymentIdOf(event.data.object),
      })
    } catch (error) {
      return refused(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
    }
  },
}

const refused = (reason: string): Promise<WebhookReading> => Promise.resolve({ kind: 'refused', reason })

/** Payment intents name themselves; charges, refunds and disputes name theirs. */
function intentIdOf(object: object): string | null {
  const { object: kind, id, payment_intent: intent } = object as Readonly<Record<string, unknown>>
  const named = kind === 'payment_intent' ? id : intent
  return typeof named === 'string' ? named : null
}

/** Of a payment whose answer was lost, we don't know the intent's id. */
function paymentIdOf(object: object): string | null {
  const { metadata } = object as { readonly metadata?: Readonly<Record<string, unknown>> | null }
  const id = metadata?.['payment_id']
  return typeof id === 'string' ? id : null
}

const connectionOf = (
  { secretKey }: AccountCredentials,
  { stripe, sandbox }: ProcessorEndpoints,
): StripeConnection => ({
  secretKey,
  apiUrl: sandbox != null && sandboxKey.test(secretKey) ? sandbox : stripe,
})
