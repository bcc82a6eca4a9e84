import { type ChargeAnswer, kindOf, type PaymentProcessor, type RefundAnswer } from '../processors/index.ts'
import { decide } from './paypal-side.ts'

/** Has our client of PayPal send each kind of request that it can send, at a sandbox whose API is at this address. */
export async function exercisePaypalClient(sandbox: string): Promise<void> {
  const credentials = { clientId: 'sandbox_exercise', secretKey: 'sandbox_exercise', webhookSecret: null }
  await kindOf('PAYPAL').check(credentials, { sandbox })
  const client = kindOf('PAYPAL').connect(credentials, { sandbox })
  const paid = await approved(client, 'approve')
  await client.take(paid)
  await client.take(paid)
  await client.cancel(paid)
  for (const outcome of ['decline', 'pending']) await client.take(await approved(client, outcome))
  await client.take(intentOf(await client.charge(newCharge({}))))
  await client.retrieve('0000000000000000X')
  await client.charge(newCharge({ amount: 0 }))
  await client.charge(newCharge({ currency: 'JPY' }))

  const reserved = await approved(client, 'approve', { manualCapture: true })
  await client.take(reserved)
  for (const total of [100_000, 100, 100])
    await client.capture({
      idempotencyKey: crypto.randomUUID(),
      intentId: reserved,
      total,
      captured: 0,
      currency: 'USD',
      final: true,
    })
  const released = await approved(client, 'approve', { manualCapture: true })
  await client.take(released)
  await client.cancel(released)
  await client.cancel(released)

  const request = { idempotencyKey: crypto.randomUUID(), intentId: paid, amount: 100, currency: 'USD' }
  await client.retrieveRefund(refundOf(await client.refund(request)))
  await client.findRefund(request)
  await client.refund({ ...request, idempotencyKey: crypto.randomUUID(), amount: 1_000_000 })
  await client.activity(paid)
  const disputed = await approved(client, 'dispute')
  await client.take(disputed)
  await client.activity(disputed)
}

const newCharge = (more: object) => ({
  idempotencyKey: crypto.randomUUID(),
  amount: 1999,
  currency: 'USD',
  method: 'PAYPAL' as const,
  paymentMethodId: null,
  manualCapture: false,
  returnUrl: 'https://shop.example/thanks',
  metadata: { payment_id: crypto.randomUUID() },
  ...more,
})

/** An order that its customer has decided on. */
async function approved(client: PaymentProcessor, outcome: string, more: object = {}): Promise<string> {
  const answer = await client.charge(newCharge(more))
  const url = answer.status === 'requires_action' ? answer.action.redirectUrl : null
  if (url === null) throw new Error(`PayPal answered ${answer.status}, and not where to approve.`)
  await decide(url, outcome)
  return intentOf(answer)
}

const intentOf = (answer: ChargeAnswer): string => ('intentId' in answer ? answer.intentId : null) ?? 'none'

const refundOf = (answer: RefundAnswer): string => ('refundId' in answer ? answer.refundId : null) ?? 'none'
