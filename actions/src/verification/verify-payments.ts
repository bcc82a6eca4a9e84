import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Queryable } from '../database.ts'
import { inParallel } from '../in-parallel.ts'
import type { findProcessor } from '../payment/index.ts'
import type { Activity, ChargeAnswer } from '../processors/index.ts'
import type { Disagreement, Verdict, VerifyOptions } from './verify-rows.ts'

export interface VerifyPaymentsOptions extends VerifyOptions {
  readonly processorOf: ReturnType<typeof findProcessor>
  /** The payments that were changed since then. */
  readonly since: Date
}

/** What the database tells of a payment that a processor has an id for. */
interface KnownPayment {
  readonly merchantId: MerchantId
  readonly id: string
  readonly processor: string
  readonly accountId: string | null
  readonly intentId: string
  readonly amount: number
  readonly captured: number
  readonly refunded: number
}

/** Payments that are read at once. */
const batch = 500
/** Calls to processors at the same time. */
const atOnce = 8

/**
 * Compares payments, and what was given back of them, with the processors' own books: one or two calls for each payment. Payments that
 * are under way, and those without an id at a processor (cash, transfers, points), are left out.
 */
export async function verifyPayments(
  sql: Queryable,
  { processorOf, since, merchantId, mostShown }: VerifyPaymentsOptions,
): Promise<Verdict> {
  const began = performance.now()
  const found: Disagreement[] = []
  let after = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const payments = await settledPayments(sql, { merchantId, since, after })
    await inParallel(atOnce, payments, async (payment) => {
      const disagreement = await compare(payment, processorOf).catch(
        (error: unknown) =>
          `could not be compared: ${error instanceof Error ? error.message : String(error)}`,
      )
      if (disagreement !== null)
        found.push({ merchantId: payment.merchantId, subject: payment.id, disagreement })
    })
    const last = payments.at(-1)
    if (last === undefined) break
    after = last.id
  }
  return {
    rule: 'processor_payments',
    disagreements: found.length,
    shown: found.slice(0, mostShown),
    milliseconds: performance.now() - began,
  }
}

const settledPayments = (
  sql: Queryable,
  {
    merchantId,
    since,
    after,
  }: { readonly merchantId: string | undefined; readonly since: Date; readonly after: string },
) => sql<KnownPayment[]>`
  SELECT p.merchant_id AS "merchantId", p.id, p.processor, p.account_id AS "accountId",
    p.processor_payment_intent_id AS "intentId", p.amount::float8 AS amount,
    p.captured_amount::float8 AS captured, p.refunded_amount::float8 AS refunded
  FROM payment.payment p
  WHERE p.processor_payment_intent_id IS NOT NULL AND p.status NOT IN ('PENDING', 'PROCESSING')
    AND p.updated_at >= ${since} AND p.id > ${after}
    AND (${merchantId ?? null}::uuid IS NULL OR p.merchant_id = ${merchantId ?? null})
  ORDER BY p.id
  LIMIT ${batch}`

async function compare(
  payment: KnownPayment,
  processorOf: VerifyPaymentsOptions['processorOf'],
): Promise<string | null> {
  const processor = await processorOf(payment)
  const taken = takenOf(await processor.retrieve(payment.intentId), payment.amount)
  if (taken !== payment.captured) return `took ${payment.captured}, but ${processor.name} has ${taken}`
  if (taken === 0) return null
  const returned = returnedOf(await processor.activity(payment.intentId))
  return returned === payment.refunded
    ? null
    : `gave back ${payment.refunded}, but ${processor.name} has ${returned}`
}

/** Minor units that the processor has taken, or why that is not known. */
function takenOf(answer: ChargeAnswer, amount: number): number | string {
  switch (answer.status) {
    case 'succeeded':
      return answer.captured ?? amount
    case 'authorized':
    case 'declined':
    case 'cancelled':
    case 'untaken':
    case 'approved':
    case 'requires_action':
      return 0
    case 'processing':
      return 'it under way'
    case 'unknown':
      return 'not answered'
    case 'unauthorized':
      return 'refused the key'
    default:
      return answer satisfies never
  }
}

/** Minor units that the processor has given back, or why that is not known. */
function returnedOf(activity: Activity): number | string {
  switch (activity.status) {
    case 'known':
      return activity.refunds
        .filter(({ status }) => status === 'SUCCEEDED')
        .reduce((sum, { amount }) => sum + amount, 0)
    case 'unknown':
      return 'not answered'
    default:
      return activity satisfies never
  }
}
