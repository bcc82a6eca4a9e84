import type { DatabaseOptions } from '../../database.ts'
import { type Address, listen } from '../../http/listen.ts'
import { createSandboxApp } from './app.ts'
import { deliverEvents } from './deliver-events.ts'
import { openStore } from './store.ts'

export interface SandboxOptions extends Address, Pick<DatabaseOptions, 'databaseUrl' | 'pooler'> {
  /** Whether banks decide by themselves what they decide later, a second after it was asked of them; true unless said. */
  readonly banksDecide?: boolean
}

export interface Sandbox {
  /** The `apiUrl` for `createStripeProcessor`. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts a payment processor for tests and trials that speaks as much of Stripe's protocol, and under `/paypal` of PayPal's, as we use. */
export async function startSandbox({
  databaseUrl,
  pooler,
  banksDecide = true,
  ...address
}: SandboxOptions): Promise<Sandbox> {
  const store = await openStore({ databaseUrl, pooler })
  let url = ''
  const listener = await listen(
    createSandboxApp(store, () => url),
    address,
  )
  url = listener.url
  const delivery = deliverEvents(store, url, banksDecide)
  return {
    url,
    async stop() {
      await listener.close()
      await delivery.stop()
      await store.close()
    },
  }
}
