import { z } from 'zod'
import { type Call, eventOf, link, now, paymentsOf } from './order-changes.ts'
import { answered, type Dispute, malformed, missing, type PaypalAnswer } from './paypal-objects.ts'
import { type PaypalLedger, paypalId, type StoredOrder } from './paypal-store.ts'

/** Days that the merchant has for an answer. */
const responseDays = 10

/** The customer wants the money of an order back. */
export async function openDispute(
  ledger: PaypalLedger,
  { account, order }: StoredOrder,
  ownUrl: string,
): Promise<void> {
  const [capture] = paymentsOf(order).captures ?? []
  if (capture === undefined) return
  const created = now()
  const id = `PP-D-${paypalId(6)}`
  const dispute: Dispute = {
    dispute_id: id,
    create_time: created,
    update_time: created,
    disputed_transactions: [{ seller_transaction_id: capture.id, gross_amount: capture.amount }],
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    status: 'WAITING_FOR_SELLER_RESPONSE',
    dispute_amount: capture.amount,
    dispute_life_cycle_stage: 'CHARGEBACK',
    seller_response_due_date: new Date(Date.now() + responseDays * 86_400_000).toISOString(),
    links: [link('self', `${ownUrl}/v1/customer/disputes/${id}`)],
  }
  await ledger.saveDispute(account, dispute)
  await ledger.emit(account, eventOf('CUSTOMER.DISPUTE.CREATED', 'dispute', dispute))
}

export async function listDisputes(ledger: PaypalLedger, { query }: Call): Promise<PaypalAnswer> {
  const { disputed_transaction_id: captureId } = query
  const found = await ledger.listDisputes(typeof captureId === 'string' ? captureId : null)
  const items = found.map(
    ({ dispute_id, create_time, update_time, reason, status, dispute_amount, links }) => ({
      dispute_id,
      create_time,
      update_time,
      reason,
      status,
      dispute_amount,
      links,
    }),
  )
  return answered(200, items.length === 0 ? {} : { items })
}

export async function retrieveDispute(ledger: PaypalLedger, { id }: Call): Promise<PaypalAnswer> {
  const dispute = await ledger.findDispute(id)
  return dispute === null ? missing : answered(200, dispute)
}

const decision = z.object({ adjudication_outcome: z.enum(['BUYER_FAVOR', 'SELLER_FAVOR']) })

/** PayPal decides, as the tester says: PayPal's own sandbox has the same request. */
export async function adjudicate(ledger: PaypalLedger, { account, id, body }: Call): Promise<PaypalAnswer> {
  const dispute = await ledger.findDispute(id)
  if (dispute === null) return missing
  const { data } = decision.safeParse(body)
  if (data === undefined) return malformed('/adjudication_outcome', 'INVALID_PARAMETER_VALUE')
  const decided: Dispute = {
    ...dispute,
    status: 'RESOLVED',
    update_time: now(),
    seller_response_due_date: undefined,
    dispute_outcome: {
      outcome_code:
        data.adjudication_outcome === 'BUYER_FAVOR' ? 'RESOLVED_BUYER_FAVOUR' : 'RESOLVED_SELLER_FAVOUR',
    },
  }
  await ledger.saveDispute(account, decided)
  await ledger.emit(account, eventOf('CUSTOMER.DISPUTE.RESOLVED', 'dispute', decided))
  return answered(200, { links: dispute.links })
}
