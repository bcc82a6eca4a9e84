import {
  type ChargeAnswer,
  type ChargeRequest,
  checkStripeKey,
  createStripeProcessor,
  type PaymentProcessor,
} from '../processors/index.ts'

/** Has our client of Stripe send each kind of request that it can send. */
export async function exerciseStripeClient(apiUrl: string): Promise<void> {
  const connection = { secretKey: 'sk_test_exercise', apiUrl }
  await checkStripeKey(connection)
  const client = createStripeProcessor({ name: 'stripe', ...connection })
  const charge = async (request: Partial<ChargeRequest>) => {
    const key = crypto.randomUUID()
    return intentOf(
      await client.charge({ ...chargeRequest, idempotencyKey: key, metadata: metadataOf(key), ...request }),
    )
  }
  const returnUrl = 'https://shop.example/thanks'
  const paid = await charge({})
  await charge({ paymentMethodId: 'pm_card_chargeDeclined' })
  await charge({ paymentMethodId: 'pm_none' })
  await charge({ method: 'GOOGLE_PAY', paymentMethodId: 'pm_card_pendingRefund' })
  await charge({ method: 'SEPA_DEBIT', currency: 'EUR', paymentMethodId: 'pm_success_de' })
  await charge({ method: 'PAYPAL', paymentMethodId: null, returnUrl })
  const challenged = await charge({ paymentMethodId: 'pm_card_authenticationRequired', returnUrl })
  await exerciseVault(client, returnUrl, charge)
  const reserved = await charge({ manualCapture: true })
  const released = await charge({ manualCapture: true })
  const disputed = await charge({ paymentMethodId: 'pm_card_createDispute' })

  await client.retrieve(paid)
  await client.retrieve('pi_none')
  await client.find(crypto.randomUUID())
  const capture = (intentId: string, total: number, final: boolean) =>
    client.capture({
      idempotencyKey: crypto.randomUUID(),
      intentId,
      total,
      captured: 0,
      currency: 'USD',
      final,
    })
  await capture(reserved, 100, false)
  await client.release(reserved)
  await capture(await charge({ manualCapture: true }), 100, true)
  await client.cancel(challenged)
  await client.cancel(released)
  await client.cancel(paid)
  const request = { idempotencyKey: crypto.randomUUID(), intentId: paid, amount: 100, currency: 'USD' }
  const refund = await client.refund(request)
  await client.refund({ ...request, idempotencyKey: crypto.randomUUID(), amount: 1_000_000 })
  await client.findRefund(request)
  await client.retrieveRefund(('refundId' in refund ? refund.refundId : null) ?? 're_1')
  await client.activity(paid)
  await client.activity(disputed)
}

type Charge = (request: Partial<ChargeRequest>) => Promise<string>

async function exerciseVault({ vault }: PaymentProcessor, returnUrl: string, charge: Charge): Promise<void> {
  if (vault === null) throw new Error('Stripe keeps methods.')
  const metadata = { merchant_id: crypto.randomUUID() }
  const customer = await vault.createCustomer({ idempotencyKey: crypto.randomUUID(), metadata })
  const customerId = customer.status === 'made' ? customer.customerId : 'cus_1'
  const setUp = (paymentMethodId: string) => {
    const id = crypto.randomUUID()
    return vault.setUp({
      idempotencyKey: id,
      customerId,
      paymentMethodId,
      returnUrl,
      metadata: { ...metadata, saved_method_id: id },
    })
  }
  const saved = await setUp('pm_card_visa')
  await setUp('pm_card_chargeDeclined')
  const challenged = await setUp('pm_card_authenticationRequired')
  const setupId = ('setupId' in challenged ? challenged.setupId : null) ?? 'seti_1'
  await vault.retrieveSetup(setupId)
  await vault.findSetup(customerId, crypto.randomUUID())
  await vault.cancelSetup(setupId)
  await charge({ customer: { id: customerId, keepsMethod: true } })
  const methodId = saved.status === 'succeeded' ? saved.methodId : 'pm_1'
  await charge({ paymentMethodId: methodId, customer: { id: customerId, keepsMethod: false } })
  await vault.detach(methodId)
  await vault.detach(methodId)
  await vault.deleteCustomer(customerId)
}

const chargeRequest = {
  amount: 1999,
  currency: 'USD',
  method: 'CARD',
  paymentMethodId: 'pm_card_visa',
  manualCapture: false,
  returnUrl: null,
} as const

/** The metadata that the cashier sends. */
const metadataOf = (id: string) => ({ merchant_id: id, order_id: id, payment_id: id })

/** An intent that the answer doesn't name is any. */
const intentOf = (answer: ChargeAnswer): string => ('intentId' in answer ? answer.intentId : null) ?? 'pi_1'
