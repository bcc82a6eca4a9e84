import { type Action, type ActionCall, defineAction } from '../action/action.ts'
import { type Answer, idempotencyKeyReused, invalid, notFound, type UserError } from '../action/answer.ts'
import type { Once } from '../action/idempotency-keys.ts'
import { invalidValue, userError } from '../action/input.ts'
import type { InputOf } from '../action/read-input.ts'
import type { BeginAppointmentPaymentAnswer } from '../sql/generated/payment.ts'
import { collectedAnswer } from './collected-answer.ts'
import type { PaymentOptions } from './payment-options.ts'
import { isBalance, isCard, isOffline, routeOf, unsupported } from './payment-route.ts'
import { type AppointmentPaymentRequest, beginAppointmentPayment, getPayment } from './payments.ts'

/** Takes what an appointment costs, or a part of it, by the same steps as an order's payment. */
export const payAppointment = (options: PaymentOptions): Action =>
  defineAction('payAppointment', {
    check: ({ input }) => contradictions(input),
    keeping: 'in steps',
    async handle(call, { id, input }) {
      const { merchantId, role } = call.session
      const route = await routeOf(options, merchantId, input.method)
      if (route === null) return unsupported()
      // A shopper's word is not enough: what comes outside of the platform is the merchant's to say.
      if (input.received === true && role !== 'merchant')
        return invalid(invalidValue('received', 'The shop says when the money is there'))
      const received = input.received ?? role === 'merchant'
      return begin(options, call, {
        appointmentId: id,
        method: input.method,
        amount: input.amount,
        ...route,
        paymentMethodId: input.paymentMethodId,
        returnUrl: input.returnUrl,
        awaited: isOffline(input.method) && !received,
      })
    },
  })

/** What a method of payment doesn't go with. */
const contradictions = ({
  method,
  paymentMethodId,
  received,
}: InputOf<'payAppointment', 'null'>['input']): readonly UserError[] => [
  ...(isBalance(method) ? [invalidValue('method', 'Only orders can be paid with it')] : []),
  ...(received !== null && !isOffline(method)
    ? [invalidValue('received', 'Only money that comes outside of the platform is waited for')]
    : []),
  ...((isCard(method) || method === 'SEPA_DEBIT') && paymentMethodId === null
    ? [userError('paymentMethodId', { kind: 'required' })]
    : []),
]

/** Open payments of an appointment that another takes the place of. There is one at a time. */
const mostOpenPayments = 5

/** A payment takes the place of one that still waits for its customer or for money from outside. */
async function begin(
  { database, keys, cashier }: PaymentOptions,
  call: ActionCall,
  request: AppointmentPaymentRequest,
): Promise<Answer> {
  const { merchantId } = call.session
  /** A payment that an Idempotency-Key brings back may have been asked for. */
  let asked: 'never' | 'maybe' = 'maybe'
  const attempt = () =>
    keys.once(
      call,
      (sql) => {
        asked = 'never'
        return beginAppointmentPayment(sql, call.session, request)
      },
      ({ outcome }) => outcome === 'begun',
    )
  let outcome = await attempt()
  for (let given = 0; given < mostOpenPayments && outcome.outcome === 'payment_open'; given += 1) {
    if (!(await cashier.abandon(merchantId, outcome.paymentId))) break
    outcome = await attempt()
  }
  if (outcome.outcome !== 'begun') return refusal(outcome)
  return collectedAnswer(
    await cashier.collect(await getPayment(database, merchantId, outcome.paymentId), asked),
  )
}

function refusal(outcome: Exclude<Once<BeginAppointmentPaymentAnswer>, { outcome: 'begun' }>): Answer {
  const wrong = (field: string, message: string) => invalid(invalidValue(field, message))
  switch (outcome.outcome) {
    case 'unknown_appointment':
      return invalid(notFound('id', 'Appointment'))
    case 'nothing_to_pay':
      return wrong('id', `The appointment is ${outcome.status}, and there is nothing to pay`)
    case 'too_late':
      return wrong('id', 'The time to pay is over, so the appointment is given up')
    case 'method_not_accepted':
      return unsupported()
    case 'return_url_missing':
      return invalid(userError('returnUrl', { kind: 'required' }))
    case 'payment_open':
      return wrong('id', `Payment ${outcome.paymentId} is under way`)
    case 'amount_mismatch':
      return wrong('amount', `There is ${outcome.total} left to pay of the appointment`)
    case 'key_reused':
      return idempotencyKeyReused(outcome.key)
    default:
      return outcome satisfies never
  }
}
