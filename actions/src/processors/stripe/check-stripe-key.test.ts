import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { checkStripeKey } from './check-stripe-key.ts'
import { createStripeProcessor, type KeyState } from './stripe-processor.ts'

const chargeRequest = {
  idempotencyKey: '1',
  amount: 100,
  currency: 'USD',
  method: 'CARD' as const,
  paymentMethodId: 'pm_card_visa',
  manualCapture: false,
  returnUrl: null,
  metadata: {},
}

const refusal = { error: { type: 'invalid_request_error', message: 'Invalid API Key provided' } }

/** Runs the work against a Stripe that answers with these statuses in order, and repeats the last one. */
async function against<T>(statuses: readonly number[], work: (apiUrl: string) => Promise<T>): Promise<T> {
  let answered = 0
  const server = createServer((request, response) => {
    request.resume()
    const status = statuses[Math.min(answered, statuses.length - 1)] ?? 500
    answered += 1
    const body = status === 200 ? { object: 'list', data: [], has_more: false } : refusal
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

test.each([
  [200, 'accepted'],
  [401, 'refused'],
  [403, 'refused'],
  [500, 'unanswered'],
] as const)('a key that Stripe answers with %i is %s', async (status, kind) => {
  const check = await against([status], (apiUrl) => checkStripeKey({ secretKey: 'sk_test_1', apiUrl }))
  expect(check).toMatchObject({ kind })
})

test('a key is of unknown state if Stripe can’t be reached', async () => {
  const check = await checkStripeKey({ secretKey: 'sk_test_1', apiUrl: 'http://127.0.0.1:1' })
  expect(check.kind).toBe('unanswered')
})

test('a charge is known not to be made if the key is refused at once, but not after a try without an answer', async () => {
  const charge = (statuses: readonly number[]) =>
    against(statuses, (apiUrl) =>
      createStripeProcessor({ name: 'stripe', secretKey: 'sk_test_1', apiUrl }).charge(chargeRequest),
    )
  expect((await charge([401])).status).toBe('unauthorized')
  expect((await charge([500, 401])).status).toBe('unknown')
})

test('each answer shows whether the key is still valid, and an outage shows nothing', async () => {
  const heard: KeyState[] = []
  await against([401, 500, 500, 400], async (apiUrl) => {
    const onKey = (state: KeyState): void => void heard.push(state)
    const processor = createStripeProcessor({ name: 'stripe', secretKey: 'sk_test_1', apiUrl, onKey })
    for (let count = 0; count < 3; count += 1) await processor.charge(chargeRequest)
  })
  expect(heard).toEqual(['refused', 'accepted'])
})
