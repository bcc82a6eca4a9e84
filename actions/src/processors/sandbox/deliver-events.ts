import Stripe from 'stripe'
import { settlePending } from './paypal/paypal-orders.ts'
import { transmissionHeaders } from './paypal/paypal-signature.ts'
import { paypalEndpoint } from './paypal/paypal-store.ts'
import { settleLater } from './settle-later.ts'
import type { DueEvent, Store } from './store.ts'

/** Milliseconds between two looks at what is due. */
const interval = 500
/** Events that are sent at the same time. */
const atOnce = 10
/** Milliseconds that an endpoint may take. */
const timeout = 20_000

export interface Delivery {
  stop(): Promise<void>
}

/**
 * Sends the accounts' events to their webhook endpoints, signed as their processor signs them, again until they are
 * answered with 2xx.
 * @param ownUrl where the sandbox is reached
 * @param banksDecide whether to make the banks' late decisions, too
 */
export function deliverEvents(store: Store, ownUrl: string, banksDecide: boolean): Delivery {
  let stopped = false
  let wake = (): void => undefined
  const run = async (): Promise<void> => {
    while (!stopped) {
      if (banksDecide) await decideDue(store).catch(() => undefined)
      await deliverDue(store, ownUrl).catch(() => undefined)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, interval)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
        if (stopped) wake()
      })
    }
  }
  const running = run()
  return {
    async stop() {
      stopped = true
      wake()
      await running
    },
  }
}

async function decideDue(store: Store): Promise<void> {
  await store.transact(null, settleLater)
  await store.paypal.transact(null, settlePending)
}

async function deliverDue(store: Store, ownUrl: string): Promise<void> {
  const events = await store.takeEvents(atOnce)
  await Promise.all(
    events.flatMap((event) => Array.from({ length: event.copies }, () => deliver(store, event, ownUrl))),
  )
}

async function deliver(store: Store, { id, body, endpoint }: DueEvent, ownUrl: string): Promise<void> {
  try {
    const response = await fetch(endpoint.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', ...signatureOf(endpoint, body, ownUrl) },
      body,
      signal: AbortSignal.timeout(timeout),
    })
    await response.body?.cancel()
    if (response.ok) await store.markDelivered(id, endpoint.id)
  } catch {
    // It is due again.
  }
}

const signatureOf = (
  { id, object, secret }: DueEvent['endpoint'],
  body: string,
  ownUrl: string,
): Readonly<Record<string, string>> =>
  object === paypalEndpoint
    ? transmissionHeaders(id, body, `${ownUrl}/paypal/v1/notifications/certs/CERT-1`)
    : { 'stripe-signature': Stripe.webhooks.generateTestHeaderString({ payload: body, secret }) }
