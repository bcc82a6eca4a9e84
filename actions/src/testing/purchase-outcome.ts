import type { Queryable } from '../database.ts'

/** The state of an order: here, at the sandbox, and in the outbox. */
export interface PurchaseOutcome {
  readonly order: string
  /** Minor units. */
  readonly total: number
  /** Of its reservations. */
  readonly stock: readonly string[]
  readonly payments: readonly Taken[]
  /** The status of each. */
  readonly refunds: readonly string[]
  /** The charges of the order at the sandbox, or in the ledger of points. */
  readonly charges: readonly Taken[]
  /** The kinds of mails in the outbox that are for its customer. */
  readonly mails: readonly string[]
}

interface Taken {
  readonly status: string
  /** Minor units. */
  readonly amount: number
  readonly captured: number
  readonly capturable: number
  readonly refunded: number
}

/** The outcomes of a customer's orders, by the rows of the platform and of the sandbox. */
export const outcomesOf = async (
  sql: Queryable,
  customerId: string,
): Promise<readonly PurchaseOutcome[]> => sql<PurchaseOutcome[]>`
  SELECT o.status AS order, o.total::integer AS total,
    ARRAY(SELECT r.status FROM inventory.reservation r WHERE r.order_id = o.id) AS stock,
    coalesce((
      SELECT json_agg(json_build_object(
        'status', p.status, 'amount', p.amount, 'captured', p.captured_amount, 'capturable', p.capturable_amount,
        'refunded', p.refunded_amount
      ))
      FROM payment.payment p WHERE p.order_id = o.id
    ), '[]') AS payments,
    ARRAY(
      SELECT r.status FROM payment.refund r JOIN payment.payment p ON p.id = r.payment_id WHERE p.order_id = o.id
    ) AS refunds,
    coalesce((
      SELECT json_agg(c.charge) FROM (${stripeCharges(sql)} UNION ALL ${paypalCharges(sql)} UNION ALL ${pointCharges(sql)}) c WHERE c.order_id = o.id
    ), '[]') AS charges,
    ARRAY(SELECT d.kind FROM email.delivery d WHERE d.customer_id = o.customer_id ORDER BY d.kind) AS mails
  FROM ordering.order o WHERE o.customer_id = ${customerId}`

/** With Stripe's words for where each one is, and `partly_captured` for those that more can be taken of. */
const stripeCharges = (sql: Queryable) => sql`
  SELECT (i.body #>> '{metadata,order_id}')::uuid AS order_id, json_build_object(
    'status', CASE
      WHEN i.body ->> 'status' = 'requires_capture' AND (i.body -> 'amount_received')::bigint > 0 THEN 'partly_captured'
      ELSE i.body ->> 'status'
    END,
    'amount', i.body -> 'amount', 'captured', i.body -> 'amount_received', 'capturable', i.body -> 'amount_capturable',
    'refunded', (
      SELECT coalesce(sum((r.body -> 'amount')::bigint), 0) FROM sandbox_processor.refund r
      WHERE r.body ->> 'payment_intent' = i.id AND r.body ->> 'status' <> 'failed'
    )
  ) AS charge
  FROM sandbox_processor.payment_intent i`

/** PayPal's orders, with our words for where Stripe's charges are, and `untaken` for those that nothing was taken of. */
const paypalCharges = (sql: Queryable) => sql`
  SELECT p.order_id, json_build_object(
    'status', CASE
      WHEN unit #> '{payments,captures}' IS NOT NULL THEN 'succeeded'
      WHEN unit #>> '{payments,authorizations,0,status}' = 'VOIDED' THEN 'canceled'
      WHEN unit #> '{payments,authorizations}' IS NOT NULL THEN 'requires_capture'
      ELSE 'untaken'
    END,
    'amount', ((unit #>> '{amount,value}')::numeric * 100)::integer,
    'capturable', CASE
      WHEN unit #> '{payments,captures}' IS NULL AND unit #>> '{payments,authorizations,0,status}' = 'CREATED'
      THEN ((unit #>> '{amount,value}')::numeric * 100)::integer
      ELSE 0
    END,
    'captured', (
      SELECT coalesce(sum((c #>> '{amount,value}')::numeric * 100), 0)::integer
      FROM jsonb_array_elements(unit #> '{payments,captures}') c
    ),
    'refunded', (
      SELECT coalesce(sum((r #>> '{amount,value}')::numeric * 100), 0)::integer
      FROM jsonb_array_elements(unit #> '{payments,refunds}') r
    )
  )
  FROM sandbox_processor.paypal_order x
  CROSS JOIN LATERAL (SELECT x.body #> '{purchase_units,0}' AS unit) u
  JOIN payment.payment p ON p.id::text = unit ->> 'custom_id'`

/** A payment with points, by the ledger's entries, where a point pays one minor unit. */
const pointCharges = (sql: Queryable) => sql`
  SELECT p.order_id, json_build_object(
    'status', 'spent', 'amount', -e.points, 'captured', CASE WHEN p.status = 'PENDING' THEN 0 ELSE -e.points END,
    'capturable', 0, 'refunded', (
      SELECT coalesce(sum(r.points), 0)::integer FROM crm.loyalty_entry r
      WHERE r.payment_id = p.id AND r.type = 'RETURNED'
    )
  )
  FROM crm.loyalty_entry e
  JOIN payment.payment p ON p.id = e.payment_id
  WHERE e.type = 'SPENT'`

/** The states that a payment can have here, by the state of its charge at the processor. */
const statusesFor: Readonly<Record<string, readonly string[]>> = {
  processing: ['PROCESSING'],
  requires_action: ['PROCESSING'],
  requires_capture: ['PROCESSING'],
  partly_captured: ['SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'],
  untaken: ['PROCESSING', 'CANCELLED', 'FAILED'],
  requires_payment_method: ['FAILED'],
  canceled: ['CANCELLED', 'FAILED'],
  spent: ['PENDING', 'SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'],
  succeeded: ['SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'],
}

/**
 * The faults of a customer's only purchase, however often it was interrupted. There is at most one order, one payment
 * and one charge, which agree, and one mail for each event that the customer learns of.
 */
export function faultsOf(outcomes: readonly PurchaseOutcome[]): readonly string[] {
  const faults: string[] = []
  const must = (holds: boolean, otherwise: string) => holds || faults.push(otherwise)
  must(outcomes.length <= 1, `${outcomes.length} orders`)
  for (const { order, total, payments, refunds, charges, mails } of outcomes) {
    must(payments.length <= 1, `${payments.length} payments`)
    must(charges.length <= 1, `${charges.length} charges`)
    const [payment, charge] = [payments[0], charges[0]]
    const [captured, refunded] = [charge?.captured ?? 0, charge?.refunded ?? 0]
    if (charge !== undefined) {
      const isStatus = statusesFor[charge.status]?.includes(payment?.status ?? '') === true
      must(isStatus, `the charge is ${charge.status}, the payment ${payment?.status}`)
      must(charge.amount === total, `${charge.amount} charged for an order of ${total}`)
    }
    must((payment?.captured ?? 0) === captured, `${captured} captured there, ${payment?.captured} here`)
    const left = charge?.capturable ?? 0
    must((payment?.capturable ?? 0) === left, `${left} capturable there, ${payment?.capturable} here`)
    must((payment?.refunded ?? 0) === refunded, `${refunded} refunded there, ${payment?.refunded} here`)
    const isPaid = captured > 0
    must(
      paidOrders.has(order) === isPaid || order === 'CANCELLED',
      `${captured} is paid, the order is ${order}`,
    )
    const keeps = order === 'CANCELLED' && captured > refunded && !refunds.includes('PENDING')
    must(!keeps, `the cancelled order keeps ${captured - refunded}`)
    // An order that is over before it is thanked for is not thanked for any more.
    const isOver = order === 'CANCELLED' || order === 'REFUNDED'
    const isThanked = isPaid && (!isOver || mails.includes('ORDER_CONFIRMATION'))
    const told = [
      ...(order === 'CANCELLED' ? ['ORDER_CANCELLED'] : []),
      ...(isThanked ? ['ORDER_CONFIRMATION'] : []),
      ...(refunded > 0 ? ['ORDER_REFUNDED'] : []),
    ]
    must(mails.join() === told.join(), `the mails are ${mails.join()} and not ${told.join()}`)
  }
  return faults
}

const paidOrders: ReadonlySet<string> = new Set(['CONFIRMED', 'REFUNDED'])
