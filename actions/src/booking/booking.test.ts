import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import {
  availability,
  createService,
  createStaffMember,
  daysAhead,
  everyDay,
  minute,
  type ScheduleEntry,
  type TestService,
  weekdays,
} from '../testing/booking-calendar.ts'
import {
  createCustomer,
  dataOf,
  found,
  openTestShop,
  shopper,
  type TestMerchant,
  type TestShop,
} from '../testing/test-shop.ts'
import type { Queryable } from '../database.ts'
import { overlap } from '../testing/overlap.ts'
import { bookAppointment, writeReminders } from './appointments.ts'

let shop: TestShop
let merchant: TestMerchant
let service: TestService
let staffId: string
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  service = await createService(shop, merchant)
  staffId = await createStaffMember(shop, merchant, {
    services: [service],
    schedule: everyDay('09:00', '17:00'),
  })
})

interface Wish {
  readonly serviceId?: string
  readonly staffId?: string | null
  readonly customerId?: string
  readonly startTime?: string
  readonly notes?: string
}

const book = (wish: Wish = {}, options: Parameters<TestShop['call']>[3] = {}) =>
  shop.call(
    merchant,
    'createAppointment',
    {
      input: {
        serviceId: service.id,
        staffId,
        customerId: merchant.customerId,
        startTime: daysAhead(2, '10:00'),
        ...wish,
      },
    },
    options,
  )

const booked = async (wish: Wish = {}) => String(dataOf(await book(wish)).appointmentId)
const reschedule = (id: string, startTime: string, to?: string) =>
  shop.call(merchant, 'rescheduleAppointment', {
    id,
    input: { startTime, ...(to !== undefined && { staffId: to }) },
  })
const errorsOf = (answer: Answer) =>
  answer.kind === 'invalid'
    ? answer.errors.map(({ field, code, message }) => `${field} ${code}: ${message}`)
    : answer

async function appointmentOf(id: string) {
  const [row] = await shop.database<
    {
      start_time: Date
      end_time: Date
      duration: number
      status: string
      staff_id: string
    }[]
  >`
    SELECT start_time, end_time, duration, status, staff_id FROM booking.appointment WHERE id = ${id}`
  return found(row)
}

describe('booking', () => {
  test('takes the service’s duration from the staff member’s day', async () => {
    const id = await booked({ notes: 'Squeaks' })
    const { start_time: start, end_time: end, ...rest } = await appointmentOf(id)
    expect([minute(start), minute(end)]).toEqual([daysAhead(2, '10:00'), daysAhead(2, '10:30')])
    expect(rest).toEqual({ duration: 30, status: 'SCHEDULED', staff_id: staffId })
  })

  test('is bounded for a shopper, whose cancelled and past appointments don’t count, and not for the shop', async () => {
    const own = { session: shopper(merchant, merchant.customerId) }
    const slots = Array.from({ length: 20 }, (_, n) => daysAhead(2 + Math.floor(n / 5), `${10 + (n % 5)}:00`))
    const ids: string[] = []
    for (const startTime of slots) ids.push(String(dataOf(await book({ startTime }, own)).appointmentId))
    const further = { startTime: daysAhead(9, '10:00') }
    expect(errorsOf(await book(further, own))).toEqual([
      'customerId OUT_OF_RANGE: A customer may book 20 appointments ahead; the shop can book more',
    ])
    dataOf(await book(further))
    dataOf(await shop.call(merchant, 'cancelAppointment', { id: found(ids[0]), reason: 'x' }, own))
    await shop.database`
      UPDATE booking.appointment SET start_time = start_time - interval '20 days', end_time = end_time - interval '20 days'
      WHERE id = ${found(ids[1])}`
    dataOf(await book({ startTime: daysAhead(9, '11:00') }, own))
    expect((await book({ startTime: daysAhead(9, '12:00') }, own)).kind).toBe('invalid')
  })

  test.each([
    ['one who books twice at once', 'the same'],
    ['two of one address who book at once', 'another'],
  ])('is bounded for guests of one address together: for %s', async (_name, second) => {
    const guest = async () => {
      const id = await createCustomer(shop.database, merchant.merchantId)
      await shop.database`UPDATE crm.customer SET email = 'guest@example.com', has_account = false WHERE id = ${id}`
      return id
    }
    const [one, other] = [await guest(), await guest()]
    const bookFor = (sql: Queryable, customerId: string, startTime: string) =>
      bookAppointment(
        sql,
        merchant.merchantId,
        { serviceId: service.id, staffId, customerId, startTime, notes: null },
        { byShopper: true },
      )
    for (let n = 0; n < 19; n += 1)
      await bookFor(shop.database, one, daysAhead(2 + Math.floor(n / 5), `${10 + (n % 5)}:00`))
    const answers = await overlap<Awaited<ReturnType<typeof bookFor>>>(
      shop.database,
      (sql) => bookFor(sql, other, daysAhead(9, '10:00')),
      () => bookFor(shop.database, second === 'the same' ? other : one, daysAhead(9, '11:00')),
    )
    expect(answers).toMatchObject([
      { outcome: 'changed' },
      { outcome: 'invalid', refusals: [{ field: 'customerId', reason: 'too_many_ahead' }] },
    ])
  })

  test('keeps its duration when the service’s changes', async () => {
    const id = await booked()
    await shop.database`UPDATE booking.service SET duration = 60 WHERE id = ${service.id}`
    dataOf(await reschedule(id, daysAhead(3, '16:30')))
    expect(await appointmentOf(id)).toMatchObject({ duration: 30 })
  })

  test.each([
    ['before working hours', '08:45'],
    ['over their end', '16:45'],
    ['after them', '20:00'],
  ])('is refused %s', async (_when, time) => {
    expect(errorsOf(await book({ startTime: daysAhead(2, time) }))).toEqual([
      'startTime INVALID_VALUE: The time is outside working hours',
    ])
  })

  test('is refused if it overlaps another appointment by a minute, and accepted right after one', async () => {
    await booked({ startTime: daysAhead(2, '10:00') })
    for (const time of ['09:31', '10:00', '10:29'])
      expect(errorsOf(await book({ startTime: daysAhead(2, time) }))).toEqual([
        'startTime INVALID_VALUE: The time is taken',
      ])
    await booked({ startTime: daysAhead(2, '09:30') })
    await booked({ startTime: daysAhead(2, '10:30') })
  })

  test('reports all errors of the input at once, and writes nothing', async () => {
    const absent = randomUUID()
    const wish = { serviceId: absent, staffId: absent, customerId: absent, startTime: '2020-01-01T10:00:00Z' }
    expect(errorsOf(await book(wish))).toEqual([
      `serviceId NOT_FOUND: Service ${absent} does not exist`,
      `staffId NOT_FOUND: Staff member ${absent} does not exist`,
      `customerId NOT_FOUND: Customer ${absent} does not exist`,
      'startTime OUT_OF_RANGE: The time is in the past',
    ])
    expect(
      await shop.database`SELECT FROM booking.appointment WHERE merchant_id = ${merchant.merchantId}`,
    ).toEqual([])
  })

  test.each([
    ['9999-12-31T10:00:00Z', 'OUT_OF_RANGE: Appointments can be made for the next 366 days'],
    [daysAhead(2, '10:00').replace('Z', ':30Z'), 'INVALID_VALUE: Appointments start on a whole minute'],
  ])('is refused at %s', async (startTime, error) => {
    expect(errorsOf(await book({ startTime }))).toEqual([`startTime ${error}`])
  })

  test('is refused for an invalid time', async () => {
    expect((await book({ startTime: 'tomorrow' })).kind).toBe('invalid')
  })

  test('needs an active service and a staff member who offers it', async () => {
    const retired = await createService(shop, merchant, { active: false })
    const away = await createStaffMember(shop, merchant, { services: [service], active: false })
    const other = await createStaffMember(shop, merchant, { schedule: everyDay('09:00', '17:00') })
    const orphan = await createService(shop, merchant)
    expect(errorsOf(await book({ serviceId: retired.id, staffId: null }))).toEqual([
      'serviceId INVALID_VALUE: The service can not be booked',
    ])
    expect(errorsOf(await book({ staffId: away }))).toEqual([
      'staffId INVALID_VALUE: The staff member takes no appointments',
    ])
    expect(errorsOf(await book({ staffId: other }))).toEqual([
      'staffId INVALID_VALUE: The staff member does not offer the service',
    ])
    expect(errorsOf(await book({ serviceId: orphan.id, staffId: null }))).toEqual([
      'serviceId INVALID_VALUE: No staff member offers the service',
    ])
  })

  test('without a staff member goes to the free one with the highest priority, until all are busy', async () => {
    const first = await createStaffMember(shop, merchant, {
      services: [service],
      schedule: everyDay('09:00', '17:00'),
    })
    await shop.database`UPDATE booking.staff_member SET priority = 1 WHERE id = ${staffId}`
    const ids = [await booked({ staffId: null }), await booked({ staffId: null })]
    const staff = await Promise.all(ids.map(async (id) => (await appointmentOf(id)).staff_id))
    expect(staff).toEqual([first, staffId])
    expect(errorsOf(await book({ staffId: null }))).toEqual(['startTime INVALID_VALUE: The time is taken'])
  })

  test('the same slot 20 times at once succeeds once, and twice with two free staff members', async () => {
    const rush = (wish: Wish) => Promise.all(Array.from({ length: 20 }, () => book(wish)))
    const one = await rush({})
    expect(one.filter(({ kind }) => kind === 'done')).toHaveLength(1)
    expect(
      new Set(one.filter(({ kind }) => kind !== 'done').map((answer) => JSON.stringify(errorsOf(answer)))),
    ).toEqual(new Set(['["startTime INVALID_VALUE: The time is taken"]']))
    await createStaffMember(shop, merchant, { services: [service], schedule: everyDay('09:00', '17:00') })
    const two = await rush({ staffId: null, startTime: daysAhead(2, '12:00') })
    expect(two.filter(({ kind }) => kind === 'done')).toHaveLength(2)
  })

  test('never overlaps: the database refuses any write that would', async () => {
    const id = await booked()
    const again = shop.database`
      INSERT INTO booking.appointment (merchant_id, service_id, staff_id, customer_id, start_time, end_time)
      SELECT merchant_id, service_id, staff_id, customer_id, start_time + interval '29 minutes', end_time + interval '1 hour'
      FROM booking.appointment WHERE id = ${id}`
    await expect(again).rejects.toThrow('appointment_no_overlap')
  })

  test('again with the same Idempotency-Key answers with the same appointment, which is created once', async () => {
    const options = { idempotencyKey: randomUUID() }
    const first = dataOf(await book({}, options))
    expect(dataOf(await book({}, options))).toEqual(first)
    expect(await book({ startTime: daysAhead(2, '15:00') }, options)).toMatchObject({
      kind: 'refused',
      id: 'SVC_VAL_004',
    })
  })
})

describe('rescheduling', () => {
  test('frees the old time, takes the new one, and needs a new confirmation', async () => {
    const id = await booked()
    dataOf(await shop.call(merchant, 'confirmAppointment', { id }))
    // A quarter of an hour later, the appointment overlaps only itself.
    dataOf(await reschedule(id, daysAhead(2, '10:15')))
    expect(await appointmentOf(id)).toMatchObject({ status: 'SCHEDULED' })
    dataOf(await reschedule(id, daysAhead(2, '11:00')))
    await booked({ startTime: daysAhead(2, '10:00') })
  })

  test('obeys the rules for a new appointment', async () => {
    const other = await createStaffMember(shop, merchant, {
      services: [service],
      schedule: everyDay('09:00', '12:00'),
    })
    const idle = await createStaffMember(shop, merchant, { schedule: everyDay('09:00', '12:00') })
    const id = await booked()
    await booked({ startTime: daysAhead(2, '14:00') })
    await booked({ startTime: daysAhead(2, '10:00'), staffId: other })
    for (const [time, to, error] of [
      ['14:15', staffId, 'startTime INVALID_VALUE: The time is taken'],
      ['18:00', staffId, 'startTime INVALID_VALUE: The time is outside working hours'],
      ['10:00', other, 'startTime INVALID_VALUE: The time is taken'],
      ['13:00', other, 'startTime INVALID_VALUE: The time is outside working hours'],
      ['10:00', idle, 'staffId INVALID_VALUE: The staff member does not offer the service'],
    ] as const)
      expect(errorsOf(await reschedule(id, daysAhead(2, time), to))).toEqual([error])
    expect(errorsOf(await reschedule(id, '2020-01-01T10:00:00Z'))).toEqual([
      'startTime OUT_OF_RANGE: The time is in the past',
    ])
    expect(minute((await appointmentOf(id)).start_time)).toBe(daysAhead(2, '10:00'))
    dataOf(await reschedule(id, daysAhead(2, '11:00'), other))
    expect(await appointmentOf(id)).toMatchObject({ staff_id: other })
  })

  test('ten appointments to one slot at once succeeds once, also against bookings of the slot', async () => {
    const ids: string[] = []
    for (let index = 0; index < 10; index += 1)
      ids.push(await booked({ startTime: daysAhead(3 + index).replace('00:00', '10:00') }))
    const slot = daysAhead(2, '10:00')
    const answers = await Promise.all([...ids.map((id) => reschedule(id, slot)), ...ids.map(() => book())])
    expect(answers.filter(({ kind }) => kind === 'done')).toHaveLength(1)
  })
})

describe('cancelling', () => {
  test('frees the time, and so does a no-show', async () => {
    const id = await booked()
    dataOf(await shop.call(merchant, 'cancelAppointment', { id }))
    const again = await booked()
    await shop.database`UPDATE booking.appointment SET status = 'NO_SHOW' WHERE id = ${again}`
    await booked()
  })

  test('an appointment can’t be marked as a no-show before its time', async () => {
    expect(errorsOf(await shop.call(merchant, 'markAppointmentNoShow', { id: await booked() }))).toEqual([
      'id INVALID_VALUE: The time of the appointment has not come yet',
    ])
  })
})

describe('a shopper', () => {
  test('books, moves and cancels its own appointments', async () => {
    const options = { session: shopper(merchant, merchant.customerId) }
    const { appointmentId: id } = dataOf(await book({}, options))
    const input = { startTime: daysAhead(2, '11:00') }
    dataOf(await shop.call(merchant, 'rescheduleAppointment', { id, input }, options))
    expect(await appointmentOf(String(id))).toMatchObject({
      status: 'SCHEDULED',
      start_time: new Date(input.startTime),
    })
    dataOf(await shop.call(merchant, 'cancelAppointment', { id }, options))
    expect(await appointmentOf(String(id))).toMatchObject({ status: 'CANCELLED' })
  })

  test('can’t see or change another shopper’s appointment, nor run the shop', async () => {
    const other = { session: shopper(merchant, await createCustomer(shop.database, merchant.merchantId)) }
    const id = await booked()
    expect((await book({}, other)).kind).toBe('refused')
    for (const [name, input] of [
      ['cancelAppointment', { id }],
      ['rescheduleAppointment', { id, input: { startTime: daysAhead(2, '11:00') } }],
    ] as const)
      expect(errorsOf(await shop.call(merchant, name, input, other))).toEqual([
        `id NOT_FOUND: Appointment ${id} does not exist`,
      ])
    const own = { session: shopper(merchant, merchant.customerId) }
    for (const name of [
      'confirmAppointment',
      'startAppointment',
      'completeAppointment',
      'markAppointmentNoShow',
    ])
      expect((await shop.call(merchant, name, { id }, own)).kind).toBe('refused')
  })

  test('can’t move or cancel an appointment whose time has come; the merchant can', async () => {
    const id = await booked()
    await shop.database`
      UPDATE booking.appointment SET start_time = now() - interval '1 minute', end_time = now() + interval '29 minutes'
      WHERE id = ${id}`
    const own = { session: shopper(merchant, merchant.customerId) }
    const begun = ['id INVALID_VALUE: The time of the appointment has come already']
    expect(errorsOf(await shop.call(merchant, 'cancelAppointment', { id }, own))).toEqual(begun)
    const input = { startTime: daysAhead(2, '11:00') }
    expect(errorsOf(await shop.call(merchant, 'rescheduleAppointment', { id, input }, own))).toEqual(begun)
    dataOf(await shop.call(merchant, 'cancelAppointment', { id }))
  })
})

describe('availability', () => {
  const day = { from: daysAhead(2), to: daysAhead(3) }

  test('has every quarter hour where the service fits between appointments', async () => {
    await booked({ startTime: daysAhead(2, '09:50') })
    await booked({ startTime: daysAhead(2, '11:00') })
    const slots = await availability(shop, merchant, {
      service,
      from: daysAhead(2),
      to: daysAhead(2, '12:00'),
    })
    expect(slots.map(({ startTime }) => startTime.slice(11, 16))).toEqual([
      '09:00',
      '09:15',
      '10:30',
      '11:30',
      '11:45',
    ])
  })

  test('has no times in the past, beyond the horizon, of inactive services, or of another merchant', async () => {
    const everybodys = await createService(shop, merchant, { active: false })
    expect(await availability(shop, merchant, { service: everybodys, ...day })).toEqual([])
    expect(await availability(shop, merchant, { service, from: daysAhead(-2), to: daysAhead(-1) })).toEqual(
      [],
    )
    expect(await availability(shop, merchant, { service, from: daysAhead(370), to: daysAhead(371) })).toEqual(
      [],
    )
    expect(await availability(shop, await shop.createMerchant(), { service, ...day })).toEqual([])
    expect(await availability(shop, merchant, { service, ...day })).not.toEqual([])
  })

  test('covers 31 days at most, even for a longer range', async () => {
    const slots = await availability(shop, merchant, { service, from: daysAhead(1), to: 'infinity' })
    const last = found(slots.at(-1)).startTime
    expect(Date.parse(last)).toBeLessThan(Date.parse(daysAhead(32)))
    expect(Date.parse(last)).toBeGreaterThan(Date.parse(daysAhead(30)))
  })

  test('offers exactly the quarter hours that booking accepts', async () => {
    const zone = fc.constantFrom(
      'America/New_York',
      'Europe/Berlin',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'Pacific/Auckland',
    )
    const time = fc.integer({ min: 0, max: 95 }).map(quarter)
    const entry = fc
      .tuple(fc.constantFrom('WEEKLY', 'WEEKLY', 'TIME_OFF', 'EXTRA_HOURS'), fc.nat({ max: 6 }), time, time)
      .filter(([, , start, end]) => start < end)
    // Any day of the next year, so that every change of the clock is included.
    const first = fc.integer({ min: 1, max: 360 })
    await fc.assert(
      fc.asyncProperty(
        zone,
        fc.constantFrom(15, 50, 90),
        fc.array(entry, { minLength: 3, maxLength: 12 }),
        first,
        fc.array(fc.nat(), { maxLength: 4 }),
        async (timeZone, duration, entries, ahead, picks) => {
          const offered = await createService(shop, merchant, { duration })
          const schedule = entries.map(([type, on, startTime, endTime]): ScheduleEntry => ({
            type,
            startTime,
            endTime,
            ...(type === 'WEEKLY'
              ? { weekday: found(weekdays[on]) }
              : { startDate: daysAhead(ahead + (on % 3)).slice(0, 10) }),
          }))
          const who = await createStaffMember(shop, merchant, { timeZone, services: [offered], schedule })
          const range = { from: daysAhead(ahead), to: daysAhead(ahead + 3) }
          const wish = { serviceId: offered.id, staffId: who }
          const slots = () => availability(shop, merchant, { service: offered, ...range })
          for (const pick of picks) {
            const open = await slots()
            const slot = open[pick % Math.max(open.length, 1)]
            if (slot) await booked({ ...wish, startTime: slot.startTime })
          }
          const open = new Set((await slots()).map(({ startTime }) => startTime))
          for (let at = Date.parse(range.from); at < Date.parse(range.to); at += 15 * 60 * 1000) {
            const startTime = minute(new Date(at))
            // The booking is rolled back, so that all are tested against the same calendar.
            expect([startTime, await wouldBook(offered.id, who, startTime)]).toEqual([
              startTime,
              open.has(startTime),
            ])
          }
        },
      ),
      { numRuns: 8 },
    )
  }, 60_000)

  const quarter = (n: number) =>
    `${String(Math.floor(n / 4)).padStart(2, '0')}:${String((n % 4) * 15).padStart(2, '0')}`

  async function wouldBook(serviceId: string, who: string, startTime: string): Promise<boolean> {
    const undone = Symbol('undone')
    let outcome: string | undefined
    try {
      await shop.database.begin(async (sql) => {
        const [row] = await sql<{ outcome: { outcome: string } }[]>`
          SELECT booking.book(${merchant.merchantId}, ${serviceId}, ${who}, ${merchant.customerId}, ${startTime}::text::timestamptz, NULL, NULL) AS outcome`
        outcome = row?.outcome.outcome
        // oxlint-disable-next-line typescript/only-throw-error -- it only ends the transaction
        throw undone
      })
    } catch (error) {
      if (error !== undone) throw error
    }
    return outcome === 'changed'
  }
})

describe('reminders', () => {
  // Those of the appointments at random times that other tests have booked.
  beforeEach(() => writeReminders(shop.database))

  const remindersOf = (id: string) =>
    shop.database`SELECT start_time FROM booking.reminder WHERE appointment_id = ${id}`
  const inHours = (hours: number) =>
    shop.database`
    UPDATE booking.schedule SET start_time = '00:00', end_time = '24:00' WHERE staff_id = ${staffId}`.then(
      () => minute(new Date(Math.ceil(Date.now() / 60_000 + hours * 60) * 60_000)),
    )

  test('are written once for an appointment within a day, by any number of workers', async () => {
    const soon = await booked({ startTime: await inHours(3) })
    const later = await booked({ startTime: await inHours(30) })
    const cancelled = await booked({ startTime: await inHours(5) })
    dataOf(await shop.call(merchant, 'cancelAppointment', { id: cancelled }))
    const written = await Promise.all(Array.from({ length: 8 }, () => writeReminders(shop.database)))
    expect(written.reduce((sum, count) => sum + count)).toBe(1)
    expect(await Promise.all([soon, later, cancelled].map(remindersOf))).toMatchObject([[{}], [], []])
    expect(await writeReminders(shop.database)).toBe(0)
  })

  test('are written again when the appointment is moved', async () => {
    const id = await booked({ startTime: await inHours(3) })
    expect(await writeReminders(shop.database)).toBe(1)
    dataOf(await reschedule(id, await inHours(6)))
    expect(await writeReminders(shop.database)).toBe(1)
    expect(await remindersOf(id)).toHaveLength(2)
  })
})
