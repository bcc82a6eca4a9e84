import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  createResource,
  createService,
  createStaffMember,
  daysAhead,
  everyDay,
} from '../../testing/booking-calendar.ts'
import { lapseUnpaidAppointments } from '../../booking/index.ts'
import {
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../../testing/test-shop.ts'
import type { RowEvent } from './event.ts'
import { handleEvent } from './event-handlers.ts'

let shop: TestShop
let merchant: TestMerchant
let service: { readonly id: string; readonly duration: number }
let staffId: string
let colleagueId: string
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  service = await createService(shop, merchant, { needs: { room: 1 } })
  await createResource(shop, merchant, 'room', { name: 'Room 1' })
  staffId = await newStaffMember('Ruth')
  colleagueId = await newStaffMember('Dev')
})

async function newStaffMember(name: string): Promise<string> {
  const id = await createStaffMember(shop, merchant, {
    services: [service],
    schedule: everyDay('00:00', '24:00'),
    timeZone: 'Asia/Tokyo',
  })
  await shop.database`
    UPDATE booking.staff_member SET name = ${name}, email = ${`${name.toLowerCase()}@shop.example`} WHERE id = ${id}`
  return id
}

type Row = RowEvent['old']

/** The columns of the trigger's payload, in the form of Hasura's events. */
async function rowOf(id: string): Promise<Row> {
  const [found] = await shop.database<{ row: Row }[]>`
    SELECT to_jsonb(a) AS row FROM (
      SELECT merchant_id, id, status, start_time, staff_id, booked_here, payment_due_at FROM booking.appointment WHERE id = ${id}
    ) a`
  return found?.row ?? null
}

const eventOf = (before: Row, after: Row): RowEvent => ({
  id: randomUUID(),
  trigger: 'appointment_changed',
  old: before,
  new: after,
})

/** Delivers an event twice, because Hasura may repeat deliveries. */
async function deliver(event: RowEvent): Promise<void> {
  await handleEvent(shop.database, event)
  await handleEvent(shop.database, event)
}

async function change(id: string, name: string, input: object): Promise<RowEvent> {
  const before = await rowOf(id)
  dataOf(await shop.call(merchant, name, input))
  return eventOf(before, await rowOf(id))
}

/** A new appointment, with the mails that its booking causes. */
async function createAppointment(startTime: string): Promise<string> {
  const input = { serviceId: service.id, staffId, customerId: merchant.customerId, startTime, notes: null }
  const id = String(dataOf(await shop.call(merchant, 'createAppointment', { input })).appointmentId)
  await deliver(eventOf(null, await rowOf(id)))
  return id
}

/** A new appointment, without the mails that its booking causes. */
async function book(startTime: string): Promise<string> {
  const id = await createAppointment(startTime)
  await shop.database`DELETE FROM email.delivery`
  return id
}

const reschedule = (id: string, startTime: string, to?: string) =>
  change(id, 'rescheduleAppointment', {
    id,
    input: { startTime, ...(to !== undefined && { staffId: to }) },
  })
const cancel = (id: string) => change(id, 'cancelAppointment', { id })

interface Delivery {
  readonly kind: string
  readonly recipient: string
  readonly status: string
  readonly facts: { readonly appointment?: Readonly<Record<string, unknown>> }
}
const deliveries = () => shop.database<Delivery[]>`
  SELECT kind, recipient, status, facts FROM email.delivery
  WHERE merchant_id = ${merchant.merchantId} ORDER BY created_at, id`
const mails = async () =>
  (await deliveries()).map(({ kind, recipient }) => `${kind} ${recipient.replace(/^customer.*/, 'customer')}`)

async function customerEmail() {
  const [row] = await shop.database<{ email: string }[]>`
    SELECT email FROM crm.customer WHERE id = ${merchant.customerId}`
  return found(row).email
}

const [ten, noon] = [daysAhead(3, '10:00'), daysAhead(3, '12:00')]

describe('an appointment that is booked, moved and cancelled', () => {
  test('causes one mail each to its customer and its staff member', async () => {
    const email = await customerEmail()
    const id = await createAppointment(ten)
    await deliver(await reschedule(id, noon))
    await deliver(await cancel(id))
    expect((await deliveries()).map(({ kind, recipient }) => [kind, recipient])).toEqual([
      ['APPOINTMENT_BOOKED', email],
      ['STAFF_APPOINTMENT_BOOKED', 'ruth@shop.example'],
      ['APPOINTMENT_MOVED', email],
      ['STAFF_APPOINTMENT_MOVED', 'ruth@shop.example'],
      ['APPOINTMENT_CANCELLED', email],
      ['STAFF_APPOINTMENT_CANCELLED', 'ruth@shop.example'],
    ])
    for (const { facts } of await deliveries())
      expect(facts.appointment).toMatchObject({
        id,
        staff: 'Ruth',
        timeZone: 'Asia/Tokyo',
        resources: ['Room 1'],
      })
  })

  test('causes another mail when it returns to an earlier time', async () => {
    const id = await book(ten)
    for (const time of [noon, ten, noon]) await deliver(await reschedule(id, time))
    expect((await mails()).filter((mail) => mail.startsWith('APPOINTMENT_MOVED'))).toHaveLength(3)
    expect((await mails()).filter((mail) => mail.startsWith('STAFF_APPOINTMENT_MOVED'))).toHaveLength(3)
  })

  test('causes a mail about its last time only, if its events come late', async () => {
    const id = await book(ten)
    const first = await reschedule(id, noon)
    const second = await reschedule(id, daysAhead(4, '10:00'))
    await deliver(first)
    await deliver(second)
    expect((await deliveries()).map(({ kind, facts }) => [kind, facts.appointment?.['startTime']])).toEqual([
      ['APPOINTMENT_MOVED', second.new?.['start_time']],
      ['STAFF_APPOINTMENT_MOVED', second.new?.['start_time']],
    ])
  })

  test.each([
    ['at the same time', ten],
    ['at another time', noon],
  ])('leaves one calendar and enters another when it gets another staff member %s', async (_when, time) => {
    const id = await book(ten)
    await deliver(await reschedule(id, time, colleagueId))
    const sent = await deliveries()
    expect(sent.map(({ kind, recipient }) => [kind, recipient])).toEqual([
      ['APPOINTMENT_MOVED', await customerEmail()],
      ['STAFF_APPOINTMENT_CANCELLED', 'ruth@shop.example'],
      ['STAFF_APPOINTMENT_BOOKED', 'dev@shop.example'],
    ])
    expect(sent.map(({ facts }) => facts.appointment?.['staff'])).toEqual(['Dev', 'Ruth', 'Dev'])
    const times = sent.map(({ facts }) => Date.parse(String(facts.appointment?.['startTime'])))
    expect(times).toEqual([time, ten, time].map((at) => Date.parse(at)))
  })

  test('is in the shop’s notifications of the API too, without the customer’s name', async () => {
    const id = await book(ten)
    const [notice] = await shop.database<{ title: string; body: string; data: object }[]>`
      SELECT title, body, data FROM notification.notification
      WHERE merchant_id = ${merchant.merchantId} AND customer_id IS NULL`
    expect(notice).toMatchObject({
      title: 'New in the calendar: Repair',
      body: expect.stringContaining('with Ruth') as unknown,
      data: { appointmentId: id },
    })
  })

  test('causes no mail to staff members if the shop has switched that off', async () => {
    const input = { kind: 'STAFF_APPOINTMENT_CANCELLED', channel: 'EMAIL', enabled: false }
    dataOf(await shop.call(merchant, 'setNotificationPreference', { input }))
    await deliver(await cancel(await book(ten)))
    expect((await deliveries()).map(({ kind, status }) => [kind, status])).toEqual([
      ['APPOINTMENT_CANCELLED', 'QUEUED'],
      ['STAFF_APPOINTMENT_CANCELLED', 'SUPPRESSED'],
    ])
  })

  test('that was imported, is confirmed or is over causes no mail', async () => {
    const id = await book(ten)
    const row = await rowOf(id)
    await deliver(eventOf(null, { ...row, booked_here: false }))
    await deliver(await change(id, 'confirmAppointment', { id }))
    await shop.database`
      UPDATE booking.appointment SET start_time = now() - interval '1 hour', end_time = now() - interval '30 minutes'
      WHERE id = ${id}`
    await deliver(eventOf(row, await rowOf(id)))
    await deliver(eventOf(null, await rowOf(id)))
    expect(await mails()).toEqual([])
  })
})

describe('an appointment with a deposit', () => {
  beforeEach(
    () =>
      shop.database`UPDATE booking.service SET payment_policy = 'DEPOSIT', deposit_amount = 500 WHERE id = ${service.id}`,
  )

  test('causes its mails when the deposit is paid, and the mail of its cancellation names the fee', async () => {
    await shop.database`UPDATE booking.service SET cancellation_minutes = 525600 WHERE id = ${service.id}`
    const id = await createAppointment(ten)
    expect(await mails()).toEqual([])
    await deliver(await reschedule(id, noon))
    expect(await mails()).toEqual([])
    await deliver(
      await change(id, 'payAppointment', { id, input: { method: 'CARD', paymentMethodId: 'pm_card_visa' } }),
    )
    expect(await mails()).toEqual([
      'APPOINTMENT_BOOKED customer',
      'STAFF_APPOINTMENT_BOOKED ruth@shop.example',
    ])
    const before = await rowOf(id)
    const session = shopper(merchant, merchant.customerId)
    dataOf(await shop.call(merchant, 'cancelAppointment', { id }, { session }))
    await deliver(eventOf(before, await rowOf(id)))
    const [cancelled] = (await deliveries()).filter(({ kind }) => kind === 'APPOINTMENT_CANCELLED')
    expect(cancelled?.facts.appointment).toMatchObject({ fee: 500, paid: 500, due: 0, unpaid: false })
  })

  test('that lapses causes a mail to its customer alone', async () => {
    const id = await createAppointment(ten)
    await shop.database`UPDATE booking.appointment SET payment_due_at = now() WHERE id = ${id}`
    const before = await rowOf(id)
    await lapseUnpaidAppointments(shop.database)
    await deliver(eventOf(before, await rowOf(id)))
    expect(await mails()).toEqual(['APPOINTMENT_CANCELLED customer'])
    const [{ facts } = { facts: {} }] = await deliveries()
    expect(facts).toMatchObject({ appointment: { unpaid: true } })
  })
})

test('a reminder for an earlier time of the appointment is not sent', async () => {
  const id = await book(ten)
  const { start_time } = found((await rowOf(id)) ?? undefined)
  const due = {
    id: randomUUID(),
    trigger: 'appointment_reminder_due',
    old: null,
    new: { merchant_id: merchant.merchantId, appointment_id: id, start_time },
  }
  await reschedule(id, noon)
  await handleEvent(shop.database, due)
  expect(await mails()).toEqual([])
  await reschedule(id, ten)
  await handleEvent(shop.database, due)
  expect(await mails()).toEqual(['APPOINTMENT_REMINDER customer'])
})

test('mails to staff members about a customer are deleted with the customer', async () => {
  const id = await book(ten)
  await deliver(await cancel(id))
  await shop.database`
    UPDATE email.delivery SET html = 'Name', text = 'Name', subject = 'Name' WHERE kind LIKE 'STAFF%'`
  dataOf(await shop.call(merchant, 'anonymizeCustomer', { id: merchant.customerId }))
  const [row] = await shop.database`
    SELECT recipient, facts, html, text, subject, status FROM email.delivery
    WHERE merchant_id = ${merchant.merchantId} AND kind LIKE 'STAFF%'`
  expect(row).toEqual({
    recipient: 'ruth@shop.example',
    facts: {},
    html: null,
    text: null,
    subject: null,
    status: 'CANCELLED',
  })
})
