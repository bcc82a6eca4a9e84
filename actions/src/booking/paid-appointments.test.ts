import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createService,
  createStaffMember,
  daysAhead,
  everyDay,
  type TestService,
} from '../testing/booking-calendar.ts'
import { heldByProcessor, reconcileAtOnce } from '../testing/processor-books.ts'
import { expectShopToAddUp } from '../testing/invariants.ts'
import {
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import { lapseUnpaidAppointments, writeReminders } from './appointments.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
})

const price = 2000
const card = { method: 'CARD', paymentMethodId: 'pm_card_visa' }
const late = { cancellation_minutes: 60 * 24 * 7 }
const deposit = { payment_policy: 'DEPOSIT', deposit_percent: 25 }
const full = { payment_policy: 'FULL' }

async function newService(terms: Readonly<Record<string, string | number>>): Promise<TestService> {
  const service = await createService(shop, merchant, { terms })
  await createStaffMember(shop, merchant, { services: [service], schedule: everyDay('00:00', '24:00') })
  return service
}

const call = (name: string, input: object) => shop.call(merchant, name, input)
const byCustomer = (name: string, input: object) =>
  shop.call(merchant, name, input, { session: shopper(merchant, merchant.customerId) })
const book = (service: TestService, startTime = daysAhead(3, '10:00')) =>
  byCustomer('createAppointment', {
    input: { serviceId: service.id, customerId: merchant.customerId, startTime },
  })
const booked = async (service: TestService, startTime?: string) =>
  String(dataOf(await book(service, startTime)).appointmentId)
const pay = (id: string, more: object = {}) =>
  byCustomer('payAppointment', { id, input: { ...card, ...more } })

interface Row {
  readonly status: string
  readonly paid_amount: number
  readonly amount_due: number
  readonly fee: number
  readonly lapsed: boolean
  readonly payment_due_at: Date | null
}

async function rowOf(id: string): Promise<Row> {
  const [row] = await shop.database<Row[]>`
    SELECT status, paid_amount::integer, amount_due::integer, fee::integer, lapsed, payment_due_at
    FROM booking.appointment WHERE id = ${id}`
  return found(row)
}

const heldFor = (id: string) => heldByProcessor(shop, 'appointment_id', id)
const reconcile = () => reconcileAtOnce(shop)

const timeIsUp = (id: string) => shop.database`
  UPDATE booking.appointment SET payment_due_at = now() - interval '1 second'
  WHERE id = ${id} AND payment_due_at IS NOT NULL`
const itsTimeComes = (id: string) => shop.database`
  UPDATE booking.appointment SET start_time = now() - interval '30 minutes', end_time = now() WHERE id = ${id}`

describe('an appointment with a deposit', () => {
  test('keeps its time until the deposit is paid, is CONFIRMED with it, and the rest can be paid later', async () => {
    const id = await booked(await newService(deposit))
    expect(await rowOf(id)).toMatchObject({ status: 'SCHEDULED', paid_amount: 0, amount_due: price })
    const due = (await rowOf(id)).payment_due_at?.getTime() ?? 0
    expect(due).toBeGreaterThan(Date.now())
    dataOf(await pay(id))
    expect(await rowOf(id)).toMatchObject({
      status: 'CONFIRMED',
      paid_amount: 500,
      amount_due: 1500,
      payment_due_at: null,
    })
    expect(await heldFor(id)).toBe(500)
    expect(await pay(id, { amount: 1501 })).toMatchObject({ errors: [{ field: 'amount' }] })
    dataOf(await call('payAppointment', { id, input: { method: 'CASH' } }))
    expect(await rowOf(id)).toMatchObject({ status: 'CONFIRMED', paid_amount: price, amount_due: 0 })
    expect(await pay(id)).toMatchObject({ errors: [{ field: 'id' }] })
    await expectShopToAddUp(shop.database, merchant)
  })

  test('can be paid in several attempts and parts', async () => {
    const id = await booked(await newService(deposit))
    expect(dataOf(await pay(id, { paymentMethodId: 'pm_card_chargeDeclined' })).error).toMatchObject({
      code: 'card_declined',
    })
    dataOf(await pay(id, { amount: 100 }))
    expect(await rowOf(id)).toMatchObject({ status: 'SCHEDULED', paid_amount: 100 })
    dataOf(await pay(id))
    expect(await rowOf(id)).toMatchObject({ status: 'CONFIRMED', paid_amount: 500 })
  })

  test('is cancelled when its time to pay is over: the slot is free, and a part that was paid goes back', async () => {
    const service = await newService(deposit)
    const id = await booked(service)
    dataOf(await pay(id, { amount: 100 }))
    expect(await book(service)).toMatchObject({ kind: 'invalid' })
    await timeIsUp(id)
    expect(await pay(id)).toMatchObject({ errors: [{ field: 'id' }] })
    expect(await lapseUnpaidAppointments(shop.database)).toBe(1)
    expect(await rowOf(id)).toMatchObject({ status: 'CANCELLED', lapsed: true, fee: 0, amount_due: 0 })
    await reconcile()
    expect(await heldFor(id)).toBe(0)
    expect(await pay(id)).toMatchObject({ errors: [{ field: 'id' }] })
    await booked(service)
    expect(await lapseUnpaidAppointments(shop.database)).toBe(0)
  })

  test('waits longer for money from outside, and for a payment that the customer is busy with', async () => {
    await shop.database`
      UPDATE merchant.settings SET accepts_bank_transfer = TRUE WHERE merchant_id = ${merchant.merchantId}`
    const service = await newService(deposit)
    const [transferred, authenticating] = [
      await booked(service),
      await booked(service, daysAhead(3, '12:00')),
    ]
    const before = await rowOf(transferred)
    const payment = dataOf(await pay(transferred, { method: 'BANK_TRANSFER', paymentMethodId: null }))
    const after = await rowOf(transferred)
    expect(after.payment_due_at?.getTime()).toBeGreaterThan(before.payment_due_at?.getTime() ?? 0)
    dataOf(await pay(authenticating, { paymentMethodId: 'pm_card_authenticationRequired' }))
    await timeIsUp(authenticating)
    expect(await lapseUnpaidAppointments(shop.database)).toBe(0)
    await reconcile()
    expect(await lapseUnpaidAppointments(shop.database)).toBe(1)
    dataOf(await call('markPaymentReceived', { id: payment.paymentId }))
    expect(await rowOf(transferred)).toMatchObject({ status: 'CONFIRMED', paid_amount: 500 })
  })

  test('is certain without the deposit if the shop confirms it, and is not reminded of before', async () => {
    const service = await newService(deposit)
    const id = await booked(service, daysAhead(1, '00:00'))
    expect(await writeReminders(shop.database)).toBe(0)
    dataOf(await call('confirmAppointment', { id }))
    expect(await rowOf(id)).toMatchObject({ status: 'CONFIRMED', payment_due_at: null })
    expect(await writeReminders(shop.database)).toBe(1)
    expect(await lapseUnpaidAppointments(shop.database)).toBe(0)
  })

  test('of another customer can not be paid', async () => {
    const id = await booked(await newService(deposit))
    const session = shopper(merchant, await createCustomer(shop.database, merchant.merchantId))
    expect(await shop.call(merchant, 'payAppointment', { id, input: card }, { session })).toMatchObject({
      errors: [{ field: 'id', code: 'NOT_FOUND' }],
    })
  })
})

describe('a paid appointment that is cancelled', () => {
  test('by its customer in time gives back everything', async () => {
    const id = await booked(await newService({ ...full, cancellation_minutes: 60 }))
    dataOf(await pay(id))
    dataOf(await byCustomer('cancelAppointment', { id }))
    expect(await rowOf(id)).toMatchObject({ status: 'CANCELLED', fee: 0, paid_amount: 0, amount_due: 0 })
    expect(await heldFor(id)).toBe(0)
  })

  test('by its customer too late gives back what is beyond the fee', async () => {
    const id = await booked(await newService({ ...full, ...late, no_show_fee: 700 }))
    dataOf(await pay(id))
    dataOf(await byCustomer('cancelAppointment', { id }))
    expect(await rowOf(id)).toMatchObject({ status: 'CANCELLED', fee: 700, paid_amount: 700, amount_due: 0 })
    expect(await heldFor(id)).toBe(700)
  })

  test('by the shop gives back everything, at any time', async () => {
    const id = await booked(await newService({ ...full, ...late }))
    dataOf(await pay(id))
    dataOf(await call('cancelAppointment', { id }))
    expect(await rowOf(id)).toMatchObject({ status: 'CANCELLED', fee: 0, paid_amount: 0 })
    expect(await heldFor(id)).toBe(0)
  })

  test('before it was paid costs nothing, and ends the payment that waits for the customer', async () => {
    const id = await booked(await newService({ ...full, ...late }))
    const { paymentId } = dataOf(await pay(id, { paymentMethodId: 'pm_card_authenticationRequired' }))
    dataOf(await byCustomer('cancelAppointment', { id }))
    expect(await rowOf(id)).toMatchObject({ status: 'CANCELLED', fee: 0, amount_due: 0 })
    const [payment] = await shop.database`SELECT status FROM payment.payment WHERE id = ${String(paymentId)}`
    expect(payment).toEqual({ status: 'CANCELLED' })
  })
})

describe('an appointment that is moved', () => {
  const move = (id: string) => ({ id, input: { startTime: daysAhead(300, '10:00') } })

  test('by its customer may not be one whose cancellation costs its fee; the shop may move it', async () => {
    const id = await booked(await newService({ ...full, ...late, no_show_fee: 700 }))
    dataOf(await pay(id))
    expect(await byCustomer('rescheduleAppointment', move(id))).toMatchObject({
      errors: [{ field: 'id', code: 'INVALID_VALUE', message: expect.stringContaining('fee') as string }],
    })
    dataOf(await call('rescheduleAppointment', move(id)))
    dataOf(await byCustomer('cancelAppointment', { id }))
    expect(await rowOf(id)).toMatchObject({ status: 'CANCELLED', fee: 0 })
  })

  test('by its customer may be one that costs no fee: in time, without a fee, or not paid yet', async () => {
    const ahead = { ...full, cancellation_minutes: 60 }
    for (const terms of [ahead, { ...full, ...late, no_show_fee: 0 }]) {
      const id = await booked(await newService(terms))
      dataOf(await pay(id))
      dataOf(await byCustomer('rescheduleAppointment', move(id)))
    }
    const unpaid = await booked(await newService({ ...full, ...late }))
    dataOf(await byCustomer('rescheduleAppointment', move(unpaid)))
  })

  test('waits for its prepayment until its new start at most', async () => {
    const service = await newService(full)
    await shop.database`
      UPDATE merchant.settings SET card_payment_minutes = 20000 WHERE merchant_id = ${merchant.merchantId}`
    const id = await booked(service, daysAhead(3, '10:00'))
    const earlier = daysAhead(2, '10:00')
    for (const startTime of [earlier, daysAhead(4, '10:00')])
      dataOf(await byCustomer('rescheduleAppointment', { id, input: { startTime } }))
    expect((await rowOf(id)).payment_due_at).toEqual(new Date(earlier))
    dataOf(await pay(id))
    dataOf(await byCustomer('rescheduleAppointment', { id, input: { startTime: earlier } }))
    expect(await rowOf(id)).toMatchObject({ payment_due_at: null })
  })
})

describe('a missed appointment', () => {
  test('keeps the deposit as its fee', async () => {
    const id = await booked(await newService(deposit))
    dataOf(await pay(id))
    await itsTimeComes(id)
    dataOf(await call('markAppointmentNoShow', { id }))
    expect(await rowOf(id)).toMatchObject({ status: 'NO_SHOW', fee: 500, paid_amount: 500, amount_due: 0 })
  })

  test('shows what of its fee was not collected, which can be paid, and no more', async () => {
    const id = await booked(await newService({ ...deposit, no_show_fee: 5000 }))
    dataOf(await pay(id))
    await itsTimeComes(id)
    dataOf(await call('markAppointmentNoShow', { id }))
    expect(await rowOf(id)).toMatchObject({ fee: price, paid_amount: 500, amount_due: 1500 })
    expect(await pay(id, { amount: 1501 })).toMatchObject({ errors: [{ field: 'amount' }] })
    dataOf(await pay(id))
    expect(await rowOf(id)).toMatchObject({ status: 'NO_SHOW', paid_amount: price, amount_due: 0 })
    expect(await heldFor(id)).toBe(price)
  })
})

test('an appointment is never paid beyond its price, however many payments are sent at once', async () => {
  for (let round = 0; round < 3; round += 1) {
    const id = await booked(await newService(full), daysAhead(3, `1${round}:00`))
    await Promise.all([1, 2, 3, 4, 5].map(() => pay(id)))
    await reconcile()
    expect(await heldFor(id)).toBe(price)
    expect(await rowOf(id)).toMatchObject({ status: 'CONFIRMED', paid_amount: price, amount_due: 0 })
  }
})

const happening = fc.constantFrom(
  'pay',
  'part',
  'challenge',
  'cancel',
  'cancelByShop',
  'lapse',
  'miss',
  'refund',
)
type Happening = typeof happening extends fc.Arbitrary<infer What> ? What : never

async function happen(id: string, what: Happening): Promise<void> {
  switch (what) {
    case 'pay':
      await pay(id)
      return
    case 'part':
      await pay(id, { amount: 300 })
      return
    case 'challenge':
      await pay(id, { paymentMethodId: 'pm_card_authenticationRequired' })
      return
    case 'cancel':
      await byCustomer('cancelAppointment', { id })
      return
    case 'cancelByShop':
      await call('cancelAppointment', { id })
      return
    case 'lapse':
      await timeIsUp(id)
      await lapseUnpaidAppointments(shop.database)
      return
    case 'miss':
      await call('markAppointmentNoShow', { id })
      return
    case 'refund': {
      const [payment] = await shop.database<{ id: string }[]>`
        SELECT id FROM payment.payment WHERE appointment_id = ${id} AND taken LIMIT 1`
      if (payment !== undefined)
        await call('refundPayment', { id: payment.id, input: { amount: 100, reason: 'Test' } })
      return
    }
    default:
      what satisfies never
  }
}

test('whatever happens to appointments at the same time, the books of shop and processor agree', async () => {
  const terms = fc.record({
    payment_policy: fc.constantFrom('DEPOSIT', 'FULL'),
    deposit_percent: fc.integer({ min: 1, max: 100 }),
    no_show_fee: fc.nat({ max: price }),
    cancellation_minutes: fc.constantFrom(0, late.cancellation_minutes),
  })
  const rounds = fc.array(fc.array(happening, { minLength: 1, maxLength: 3 }), { minLength: 1, maxLength: 4 })
  await fc.assert(
    fc.asyncProperty(terms, rounds, fc.boolean(), async (columns, history, begun) => {
      const id = await booked(await newService(columns))
      for (const [round, together] of history.entries()) {
        if (begun && round === 1) await itsTimeComes(id)
        await Promise.all(together.map((what) => happen(id, what)))
        const { paid_amount: paid, amount_due: due, status, fee } = await rowOf(id)
        expect(paid).toBeLessThanOrEqual(status === 'CANCELLED' || status === 'NO_SHOW' ? fee : price)
        expect(due).toBe(Math.max(0, (status === 'CANCELLED' || status === 'NO_SHOW' ? fee : price) - paid))
      }
      await reconcile()
      expect(await heldFor(id)).toBe((await rowOf(id)).paid_amount)
      await expectShopToAddUp(shop.database, merchant)
    }),
    { numRuns: 40 },
  )
}, 120_000)
