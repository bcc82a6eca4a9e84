import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exerciseStripeClient } from '../../testing/exercise-stripe-client.ts'
import { type RecordingProxy, startRecordingProxy } from '../../testing/recording-proxy.ts'

/** Stripe's own mock (github.com/stripe/stripe-mock), which checks the parameters of requests. */
const program = process.env['STRIPE_MOCK'] ?? 'stripe-mock'
const isThere = spawnSync(program, ['-version']).status === 0

describe.skipIf(!isThere)(
  `Stripe’s mock${isThere ? '' : ' (skipped: no stripe-mock on the PATH, and STRIPE_MOCK does not name it)'}`,
  () => {
    let mock: ChildProcess
    let proxy: RecordingProxy
    beforeAll(async () => {
      const child = spawn(program, ['-http-addr', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] })
      mock = child
      proxy = await startRecordingProxy(await urlOf(child.stdout))
    })
    afterAll(async () => {
      await proxy.close()
      const exited = once(mock, 'exit')
      mock.kill()
      await exited
    })

    test('takes every kind of request that our client sends', async () => {
      await exerciseStripeClient(proxy.url)
      const refused = proxy.exchanges.filter(({ status }) => status !== 200)
      expect(refused).toEqual([])
      expect(new Set(proxy.exchanges.map(({ method, path }) => `${method} ${path.split('/')[2]}`))).toEqual(
        new Set([
          'GET payment_intents',
          'POST payment_intents',
          'GET refunds',
          'POST refunds',
          'GET disputes',
          'POST customers',
          'DELETE customers',
          'POST setup_intents',
          'GET setup_intents',
          'POST payment_methods',
        ]),
      )
    })
  },
)

async function urlOf(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface(output)) {
    const address = /HTTP at address: (\S+)/.exec(line)?.[1]
    if (address !== undefined) return `http://${address}`
  }
  throw new Error('stripe-mock has ended.')
}
