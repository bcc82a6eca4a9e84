import type { MerchantId } from '@commerce-graph/contract/ids'
import type { Database } from '../database.ts'
import type {
  AmountRefusal,
  CaptureRequest,
  ChargeAnswer,
  PaymentProcessor,
  RequiredAction,
} from '../processors/index.ts'
import type { PaymentAccounts } from './accounts.ts'
import { settleCapture } from './captures.ts'
import { getPayment, type Payment, settle } from './payments.ts'
import { customerOfPayment } from './saved-methods/customer-of-payment.ts'

/** A payment after the processor was asked, and what its customer has to do, if anything. */
export interface Collected {
  readonly payment: Payment
  readonly action: RequiredAction | null
  /** Whether the processor has said what became of it, now or before. */
  readonly answered: boolean
}

/** Brings payments and their processors to agree. Every step can be repeated at any time. */
export interface Cashier {
  /**
   * Asks for the money of a payment that is on record, unless that is settled; repeated it charges nothing twice.
   * @param asked whether the processor may have been asked before; if not, a processor that doesn't take our key fails the payment
   */
  collect(payment: Payment, asked: 'never' | 'maybe'): Promise<Collected>
  /** Ends a payment that waits for its customer, if the processor lets it. Returns whether it is over now. */
  abandon(merchantId: MerchantId, paymentId: string): Promise<boolean>
  /** Lets go of what was not captured of a payment. Returns whether the processor has done it. */
  release(payment: Payment): Promise<boolean>
  /** Why the payment's processor can't take or give back a part of it; null: it can. @param part minor units */
  refusalOf(payment: Payment, part: number): Promise<AmountRefusal | null>
}

export function createCashier(
  database: Database,
  processors: readonly PaymentProcessor[],
  accounts?: PaymentAccounts,
): Cashier {
  const processorOf = findProcessor(processors, accounts)
  return {
    async collect(payment, asked) {
      switch (payment.status) {
        case 'PENDING': {
          if (payment.awaited) return { payment, action: null, answered: true }
          const processor = await processorOf(payment)
          const answer = await chargeOnce(database, processor, payment, asked)
          const known = asked === 'never' && answer.status === 'unauthorized' ? outOfOrder : answer
          return settleAndTake(processor, payment, known)
        }
        case 'PROCESSING': {
          const processor = await processorOf(payment)
          const answer =
            payment.captureRequested === null
              ? await answerAfterWaiting(processor, payment)
              : await processor.capture(captureOf(payment, payment.captureRequested))
          return settleAndTake(processor, payment, answer)
        }
        case 'SUCCEEDED':
        case 'PARTIALLY_REFUNDED':
        case 'REFUNDED':
          return payment.capturableAmount === 0
            ? { payment, action: null, answered: true }
            : captureRest(await processorOf(payment), payment)
        case 'FAILED':
        case 'CANCELLED':
          return { payment, action: null, answered: true }
        default:
          return payment.status satisfies never
      }
    },
    async abandon(merchantId, paymentId) {
      const payment = await getPayment(database, merchantId, paymentId)
      if (payment.status === 'PENDING' && payment.awaited) {
        const { status } = await settle(database, payment, { status: 'cancelled', intentId: null })
        return status !== 'PENDING'
      }
      if (payment.status !== 'PROCESSING') return payment.status !== 'PENDING'
      const answer = await (await processorOf(payment)).cancel(intentOf(payment))
      const { status } = await settle(database, payment, answer)
      return status !== 'PROCESSING'
    },
    async release(payment) {
      if (payment.capturableAmount === 0) return true
      const answer = await (await processorOf(payment)).release(intentOf(payment))
      return (await settleCapture(database, payment, answer)).capturableAmount === 0
    },
    async refusalOf(payment, part) {
      return (await processorOf(payment)).refusalOf(part, payment.currency)
    },
  }

  /**
   * Makes the further capture that is under way, if there is one, and sees what was captured or let go at the processor. Of a closed
   * payment nothing more is taken.
   */
  async function captureRest(processor: PaymentProcessor, payment: Payment): Promise<Collected> {
    const total = payment.captureRequested ?? 0
    const answer =
      total > payment.capturedAmount && !payment.isClosed
        ? await processor.capture(captureOf(payment, total))
        : await processor.retrieve(intentOf(payment))
    if (answer.status !== 'declined') return collected(await settleCapture(database, payment, answer), answer)
    const now = await processor.retrieve(intentOf(payment))
    return collected(await settleCapture(database, payment, now, true), now)
  }

  /** Takes the money once the approval is on record: from then on, nothing here gives the payment up. */
  async function settleAndTake(processor: PaymentProcessor, payment: Payment, answer: ChargeAnswer) {
    const settled = await settle(database, payment, answer)
    if (answer.status !== 'approved' || settled.status !== 'PROCESSING') return collected(settled, answer)
    const taken = await processor.take(answer.intentId)
    return collected(await settle(database, settled, taken), taken)
  }
}

/** Nothing was charged, and nothing will be until the operator gives the processor's key: better to say so than to wait. */
const outOfOrder = {
  status: 'declined',
  intentId: null,
  card: null,
  decline: {
    code: 'processor_unavailable',
    message: 'The payment processor is out of order. Nothing was charged.',
    declineCode: null,
  },
} as const satisfies ChargeAnswer

export type FindProcessor = (
  payment: Pick<Payment, 'merchantId' | 'processor' | 'accountId'>,
) => Promise<PaymentProcessor>

/**
 * The processor that a payment was made with, whichever new payments use.
 * @param processors those of the operator, and of money from outside
 */
export const findProcessor =
  (processors: readonly PaymentProcessor[], accounts?: PaymentAccounts): FindProcessor =>
  async ({ merchantId, processor: name, accountId }) => {
    const processor =
      accountId === null
        ? processors.find((candidate) => candidate.name === name)
        : await accounts?.processorOf(merchantId, accountId)
    if (processor === undefined) throw new Error(`Payment processor ${name} is not configured.`)
    return processor
  }

/**
 * Asks for the charge, or, when that may be too late to be the same request, whether it was made. A processor can repeat an error of its
 * own for as long as it knows the request, although it has made the charge: so a charge that was asked for before is looked for, too.
 * That it was declined is believed only when the request is over: until then, it may still be under way.
 */
async function chargeOnce(
  database: Database,
  processor: PaymentProcessor,
  payment: Payment,
  asked: 'never' | 'maybe',
): Promise<ChargeAnswer> {
  if (payment.isLost) return (await processor.find(payment.id)) ?? { status: 'cancelled', intentId: null }
  const known = await customerOfPayment(database, processor.vault, payment)
  if (known.kind === 'not_known') return known.answer
  const answer = await processor.charge({ ...chargeOf(payment), customer: known.customer })
  if (answer.status !== 'unknown' || asked === 'never') return answer
  const found = await processor.find(payment.id)
  return found === null || found.status === 'declined' ? answer : found
}

/**
 * A customer who failed authentication could still confirm the intent with the client secret that it was given. So
 * the intent is ended before the payment counts as failed; the processor has the last word on whether it is.
 */
async function answerAfterWaiting(processor: PaymentProcessor, payment: Payment): Promise<ChargeAnswer> {
  const intentId = intentOf(payment)
  const answer = await processor.retrieve(intentId)
  if (answer.status !== 'declined') return answer
  const ended = await processor.cancel(intentId)
  return ended.status === 'cancelled' ? answer : ended
}

const chargeOf = (payment: Payment) => ({
  idempotencyKey: payment.id,
  amount: payment.amount,
  currency: payment.currency,
  method: payment.method,
  paymentMethodId: payment.paymentMethodId,
  returnUrl: payment.returnUrl,
  manualCapture: payment.captureMethod === 'MANUAL',
  metadata: {
    merchant_id: payment.merchantId,
    ...(payment.orderId !== null && { order_id: payment.orderId }),
    ...(payment.appointmentId !== null && { appointment_id: payment.appointmentId }),
    payment_id: payment.id,
  },
})

const captureOf = (payment: Payment, total: number): CaptureRequest => ({
  idempotencyKey: `${payment.id}:capture:${total}`,
  intentId: intentOf(payment),
  total,
  captured: payment.capturedAmount,
  currency: payment.currency,
  final: payment.captureFinal,
})

function intentOf({ id, intentId }: Payment): string {
  if (intentId === null) throw new Error(`Payment ${id} waits for its customer without a payment intent.`)
  return intentId
}

const collected = (payment: Payment, answer: ChargeAnswer): Collected => ({
  payment,
  action: payment.status === 'PROCESSING' && answer.status === 'requires_action' ? answer.action : null,
  answered: answer.status !== 'unknown' && answer.status !== 'unauthorized',
})
