import { type Address, listen } from '../../http/listen.ts'
import { createSandboxApp } from './app.ts'
import { openStore } from './store.ts'

export interface SandboxOptions extends Address {
  readonly databaseUrl: string
}

export interface Sandbox {
  /** What `createStripeProcessor` takes as apiUrl. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts a payment processor for tests and trials that speaks as much of Stripe's protocol as we use. */
export async function startSandbox({ databaseUrl, ...address }: SandboxOptions): Promise<Sandbox> {
  const store = await openStore(databaseUrl)
  let url = ''
  const listener = await listen(
    createSandboxApp(store, () => url),
    address,
  )
  url = listener.url
  return {
    url,
    async stop() {
      await listener.close()
      await store.close()
    },
  }
}
