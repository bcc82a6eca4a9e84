import type { ActionCall } from '../action/action.ts'
import type { IdempotencyKeys, Once } from '../action/idempotency-keys.ts'
import { ownerOf } from '../action/session.ts'
import type { OrderPayments } from '../ordering/index.ts'
import { changeStatus, type StatusOutcome } from './appointments.ts'

/** The payment domain's functions that end an appointment. */
export type AppointmentPayments = Pick<OrderPayments, 'abandon' | 'completeRefund'>

/** Open payments of an appointment that are given up for its end. There is one at a time. */
const mostOpenPayments = 5

/**
 * cancelAppointment and markAppointmentNoShow: the end and the refunds' intents are one transaction; the processor is asked after it.
 * What a crash leaves between the two is the reconciler's.
 */
export async function endAppointment(
  keys: IdempotencyKeys,
  payments: AppointmentPayments,
  call: ActionCall,
  { id, event }: { readonly id: string; readonly event: 'cancel' | 'miss' },
): Promise<Once<StatusOutcome>> {
  const { merchantId } = call.session
  const reference = { merchantId, id, owner: ownerOf(call.session) }
  const attempt = () =>
    keys.once(
      call,
      (sql) => changeStatus(sql, reference, event),
      ({ outcome }) => outcome === 'changed',
    )
  let outcome = await attempt()
  for (let given = 0; given < mostOpenPayments && outcome.outcome === 'payment_open'; given += 1) {
    if (!(await payments.abandon(merchantId, outcome.paymentId))) break
    outcome = await attempt()
  }
  if (outcome.outcome === 'changed')
    for (const refundId of outcome.refundIds) await payments.completeRefund(merchantId, refundId)
  return outcome
}
