import { type Answer, done } from '../action/answer.ts'
import type { Collected } from './cashier.ts'

/** A decline is data: the payment is there, FAILED, and says why. */
export const collectedAnswer = ({ payment, action }: Collected): Answer =>
  done({
    merchantId: payment.merchantId,
    paymentId: payment.id,
    requiresAction: action,
    error:
      payment.status === 'FAILED'
        ? { code: payment.failureCode, message: payment.failureReason, declineCode: payment.declineCode }
        : null,
  })
