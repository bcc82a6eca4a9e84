import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createService,
  createStaffMember,
  daysAhead,
  everyDay,
  type TestService,
} from '../testing/booking-calendar.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import { Life, type MortalInstance, openInstance } from '../testing/mortal-instance.ts'
import { dataOf, found, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { lapseUnpaidAppointments } from './appointments.ts'

let shop: TestShop
let merchant: TestMerchant
let service: TestService
let fresh: MortalInstance
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
  const input = { processor: 'STRIPE', secretKey: 'sk_test_sandbox_appointments' }
  dataOf(await shop.call(merchant, 'connectPaymentAccount', { input }))
  const terms = { payment_policy: 'DEPOSIT', deposit_amount: 500, no_show_fee: 200 }
  service = await createService(shop, merchant, { terms })
  fresh = await openInstance(shop, new Life())
})
afterAll(async () => {
  await fresh.close()
  await shop.close()
})

interface Visit {
  readonly id: string
  readonly keys: string
}

async function newVisit(): Promise<Visit> {
  const staffId = await createStaffMember(shop, merchant, {
    services: [service],
    schedule: everyDay('00:00', '24:00'),
  })
  const input = {
    serviceId: service.id,
    staffId,
    customerId: merchant.customerId,
    startTime: daysAhead(3, '10:00'),
  }
  const { appointmentId } = dataOf(await shop.call(merchant, 'createAppointment', { input }))
  return { id: String(appointmentId), keys: randomUUID() }
}

type Step = (instance: MortalInstance, visit: Visit) => Promise<unknown>

const pay: Step = async (instance, { id, keys }) => {
  const input = { method: 'CARD', paymentMethodId: 'pm_card_visa' }
  dataOf(await instance.call(merchant, 'payAppointment', { id, input }, `${keys} pay`))
}

const cancel: Step = async (instance, { id, keys }) => {
  dataOf(await instance.call(merchant, 'cancelAppointment', { id }, `${keys} cancel`))
}

const miss: Step = async (instance, { id, keys }) => {
  await shop.database`
    UPDATE booking.appointment SET start_time = now() - interval '30 minutes', end_time = now() WHERE id = ${id}`
  dataOf(await instance.call(merchant, 'markAppointmentNoShow', { id }, `${keys} miss`))
}

/** What is true whatever was interrupted: one charge at most, and the processor holds what the shop has on record. */
async function booksOf({ id }: Visit) {
  const [row] = await shop.database<
    { status: string; paid: number; held: number; charges: number; open: number }[]
  >`
    SELECT
      a.status, a.paid_amount::integer AS paid,
      (SELECT count(*)::integer FROM sandbox_processor.payment_intent i WHERE i.body #>> '{metadata,appointment_id}' = ${id}) AS charges,
      (SELECT coalesce(sum((i.body ->> 'amount_received')::bigint - (
        SELECT coalesce(sum((r.body ->> 'amount')::bigint), 0) FROM sandbox_processor.refund r WHERE r.body ->> 'payment_intent' = i.id
      )), 0)::integer FROM sandbox_processor.payment_intent i WHERE i.body #>> '{metadata,appointment_id}' = ${id}) AS held,
      (SELECT count(*)::integer FROM payment.payment p
        LEFT JOIN payment.refund r ON r.payment_id = p.id AND r.merchant_id = p.merchant_id
        WHERE p.appointment_id = a.id AND (p.status IN ('PENDING', 'PROCESSING') OR r.status = 'PENDING')) AS open
    FROM booking.appointment a WHERE a.id = ${id}`
  return found(row)
}

/** Does a step with an instance that dies before its nth effect. Returns what it lived to see. */
async function interrupt(step: Step, visit: Visit, last: number | null): Promise<Life> {
  const life = new Life(last)
  const instance = await openInstance(shop, life)
  // The dead instance's code runs into errors that no client hears.
  const done = step(instance, visit).catch((error: unknown) => {
    if (!life.isOver) throw error
  })
  await Promise.race([life.ended, done])
  dying.push(instance.close())
  return life
}

/** Dead instances, whose sockets are still being closed. */
const dying: Promise<void>[] = []

async function reconcile(): Promise<void> {
  await fresh.reconcile()
  await fresh.reconcile()
}

const ways: Readonly<Record<string, { readonly before: readonly Step[]; readonly step: Step; end: object }>> =
  {
    'a payment': { before: [], step: pay, end: { status: 'CONFIRMED', paid: 500, held: 500 } },
    'a cancellation': { before: [pay], step: cancel, end: { status: 'CANCELLED', paid: 0, held: 0 } },
    'a missed appointment': { before: [pay], step: miss, end: { status: 'NO_SHOW', paid: 200, held: 200 } },
  }

test.each(Object.entries(ways))(
  '%s of an appointment that is interrupted before any statement or call is one charge, and its books agree',
  async (_name, { before, step, end }) => {
    const prepared = async () => {
      const visit = await newVisit()
      for (const earlier of before) await earlier(fresh, visit)
      return visit
    }
    const whole = await prepared()
    const { length } = (await interrupt(step, whole, null)).effects
    expect(await booksOf(whole)).toMatchObject({ ...end, charges: 1, open: 0 })
    expect(length).toBeGreaterThan(3)
    for (let last = 1; last <= length; last += 1) {
      const visit = await prepared()
      const life = await interrupt(step, visit, last)
      const where = `before effect ${last}: ${life.effects.at(-1) ?? 'none'}`
      if (last % 2 === 0) {
        await step(fresh, visit)
        expect(await booksOf(visit), where).toMatchObject({ ...end, charges: 1, open: 0 })
        continue
      }
      await reconcile()
      await shop.database`
        UPDATE booking.appointment SET payment_due_at = now() WHERE id = ${visit.id} AND payment_due_at IS NOT NULL`
      await lapseUnpaidAppointments(shop.database)
      await reconcile()
      const books = await booksOf(visit)
      expect(books.held, where).toBe(books.paid)
      expect(books, where).toMatchObject({ open: 0 })
      expect(books.charges, where).toBeLessThanOrEqual(1)
      expect(books.status === 'CONFIRMED' || books.status === 'NO_SHOW' || books.paid === 0, where).toBe(true)
    }
    await Promise.all(dying)
    await expectShopToAddUp(shop.database, merchant)
  },
  120_000,
)
