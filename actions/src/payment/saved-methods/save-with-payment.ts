import { actingAs } from '../../action/acting-as.ts'
import { type Answer, invalid, notFound, type UserError } from '../../action/answer.ts'
import { invalidValue } from '../../action/input.ts'
import { ownerOf, type Session } from '../../action/session.ts'
import type postgres from '@commerce-graph/postgres-driver'
import type { Database, Queryable } from '../../database.ts'
import * as payment from '../../sql/generated/payment.ts'
import type { BeginPaymentAnswer, BeginSavedMethodAnswer } from '../../sql/generated/payment.ts'
import { unsupported } from '../payment-route.ts'
import { beginPayment, type PaymentRequest } from '../payments.ts'
import { findMethodToCharge } from './saved-methods.ts'

/** What a payment has to do with saved methods. */
export interface MethodChoice {
  readonly method: string
  readonly paymentMethodId: string | null
  readonly savedPaymentMethodId: string | null
  readonly savePaymentMethod: boolean | null
}

/** The errors of a choice that contradicts itself. */
export const faultsOfChoice = ({
  method,
  paymentMethodId,
  savedPaymentMethodId,
  savePaymentMethod,
}: MethodChoice): readonly UserError[] => [
  ...(savedPaymentMethodId !== null && method !== 'CARD'
    ? [invalidValue('savedPaymentMethodId', 'A saved method pays with CARD')]
    : []),
  ...(savedPaymentMethodId !== null && paymentMethodId !== null
    ? [
        invalidValue(
          'savedPaymentMethodId',
          'A payment is made with paymentMethodId or with a saved method, not both',
        ),
      ]
    : []),
  ...(savePaymentMethod === true && method !== 'CARD'
    ? [invalidValue('savePaymentMethod', `${method} can't be saved for later payments; only a CARD can`)]
    : []),
  ...(savePaymentMethod === true && savedPaymentMethodId !== null
    ? [invalidValue('savePaymentMethod', 'The method is saved already')]
    : []),
]

type NotSaved = Exclude<BeginSavedMethodAnswer, { outcome: 'begun' }>

export type ChosenAnswer =
  | BeginPaymentAnswer
  | { readonly outcome: 'unknown_saved_method' }
  | { readonly outcome: 'not_saved'; readonly because: NotSaved }

/** Puts a payment on record, with the saved method that it uses, or that it is to save. */
export async function beginChosen(
  sql: Queryable,
  session: Session,
  request: PaymentRequest & Partial<MethodChoice>,
): Promise<ChosenAnswer> {
  const { savedPaymentMethodId, savePaymentMethod } = request
  if (savedPaymentMethodId != null)
    return atomically(sql, (transaction) =>
      beginWithSaved(transaction, session, request, savedPaymentMethodId),
    )
  if (savePaymentMethod !== true) return beginPayment(sql, session, request)
  try {
    return await atomically(sql, (transaction) => beginAndSave(transaction, session, request))
  } catch (error) {
    if (error instanceof NotSavedError) return { outcome: 'not_saved', because: error.because }
    throw error
  }
}

/** A call with an Idempotency-Key is in a transaction already. */
function atomically<T>(sql: Queryable, work: (transaction: Queryable) => Promise<T>): Promise<T> {
  const connection = sql as Database | postgres.TransactionSql
  const result = 'savepoint' in connection ? connection.savepoint(work) : connection.begin(work)
  return result as Promise<T>
}

/** Takes the payment back that was begun before. */
class NotSavedError extends Error {
  readonly because: NotSaved
  constructor(because: NotSaved) {
    super(`The method can't be saved: ${because.outcome}`)
    this.because = because
  }
}

async function beginAndSave(
  sql: Queryable,
  session: Session,
  request: PaymentRequest,
): Promise<BeginPaymentAnswer> {
  const begun = await beginPayment(sql, session, request)
  if (begun.outcome !== 'begun') return begun
  const saved = await saveWith(sql, session, request, begun.paymentId)
  if (saved.outcome !== 'begun') throw new NotSavedError(saved)
  return begun
}

async function beginWithSaved(
  sql: Queryable,
  session: Session,
  request: PaymentRequest,
  savedId: string,
): Promise<ChosenAnswer> {
  const { merchantId } = session
  const { processor, accountId = null } = request
  const order = { merchantId, id: request.orderId, owner: ownerOf(session) }
  const paymentMethodId = await findMethodToCharge(sql, order, { id: savedId, processor, accountId })
  if (paymentMethodId === null) return { outcome: 'unknown_saved_method' }
  const begun = await beginPayment(sql, session, { ...request, paymentMethodId })
  if (begun.outcome === 'begun')
    await sql`
      UPDATE payment.payment SET saved_method = 'USED' WHERE merchant_id = ${merchantId} AND id = ${begun.paymentId}`
  return begun
}

async function saveWith(
  sql: Queryable,
  session: Session,
  { orderId, processor, accountId = null, paymentMethodId }: PaymentRequest,
  paymentId: string,
): Promise<BeginSavedMethodAnswer> {
  const { merchantId } = session
  const [order] = await sql<{ customerId: string }[]>`
    SELECT customer_id AS "customerId" FROM ordering.order WHERE merchant_id = ${merchantId} AND id = ${orderId}`
  if (order === undefined || paymentMethodId === null) return { outcome: 'unknown_customer' }
  return payment.beginSavedMethod(actingAs(sql, session), {
    merchantId,
    customerId: order.customerId,
    processor,
    accountId,
    methodId: paymentMethodId,
    returnUrl: null,
    paymentId,
  })
}

/** @param field the input's field that asks for it */
export function refusedToSave(refusal: NotSaved, field: 'customerId' | 'savePaymentMethod'): Answer {
  switch (refusal.outcome) {
    case 'unknown_customer':
      return invalid(notFound(field, 'Customer'))
    case 'no_account':
      return invalid(invalidValue(field, 'A guest has no account to save a payment method for'))
    case 'too_many':
      return invalid(
        invalidValue(
          field,
          `The customer has ${refusal.most} saved payment methods, failed attempts of the last day included: no more are saved`,
        ),
      )
    case 'method_not_accepted':
      return unsupported()
    default:
      return refusal satisfies never
  }
}
