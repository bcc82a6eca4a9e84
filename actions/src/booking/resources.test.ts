import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Answer } from '../action/answer.ts'
import type { Queryable } from '../database.ts'
import {
  availability,
  createResource,
  createService,
  createStaffMember,
  daysAhead,
  everyDay,
  type TestService,
} from '../testing/booking-calendar.ts'
import { overlap } from '../testing/overlap.ts'
import { dataOf, openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'
import { bookAppointment, rescheduleAppointment } from './appointments.ts'

let shop: TestShop
let merchant: TestMerchant
let service: TestService
/** Two of each, so that a refusal is never for lack of a staff member. */
let staffIds: readonly [string, string]
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())
beforeEach(async () => {
  merchant = await shop.createMerchant()
  service = await createService(shop, merchant, { needs: { room: 1 } })
  staffIds = [await staffFor([service]), await staffFor([service])]
})

const staffFor = (services: readonly TestService[]) =>
  createStaffMember(shop, merchant, { services, schedule: everyDay('09:00', '17:00') })

const ten = daysAhead(2, '10:00')
const noon = daysAhead(2, '12:00')
const taken = ['startTime: The resources that the service needs are taken at this time']

const wish = (startTime = ten, serviceId = service.id, staffId: string | null = null) => ({
  serviceId,
  staffId,
  customerId: merchant.customerId,
  startTime,
  notes: null,
})
const book = (...of: Parameters<typeof wish>) =>
  shop.call(merchant, 'createAppointment', { input: wish(...of) })
const booked = async (...of: Parameters<typeof wish>) => String(dataOf(await book(...of)).appointmentId)
const reschedule = (id: string, startTime: string) =>
  shop.call(merchant, 'rescheduleAppointment', { id, input: { startTime } })
const cancel = (id: string) => shop.call(merchant, 'cancelAppointment', { id })
const errorsOf = (answer: Answer) =>
  answer.kind === 'invalid' ? answer.errors.map(({ field, message }) => `${field}: ${message}`) : answer
const archive = (id: string) => shop.database`UPDATE booking.resource SET active = FALSE WHERE id = ${id}`

/** The resources of an appointment, by id. */
async function resourcesOf(appointmentId: string): Promise<readonly string[]> {
  const rows = await shop.database<{ resource_id: string }[]>`
    SELECT resource_id FROM booking.appointment_resource WHERE appointment_id = ${appointmentId} ORDER BY resource_id`
  return rows.map((row) => row.resource_id)
}

describe('booking a service that needs a room', () => {
  test('takes one for its time, and is refused if none is free, for any staff member', async () => {
    const room = await createResource(shop, merchant, 'room')
    expect(await resourcesOf(await booked())).toEqual([room])
    for (const time of ['09:31', '10:00', '10:29'])
      expect(errorsOf(await book(daysAhead(2, time)))).toEqual(taken)
    expect(errorsOf(await book(ten, service.id, staffIds[1]))).toEqual(taken)
    await booked(daysAhead(2, '09:30'))
    await booked(daysAhead(2, '10:30'))
  })

  test('gets the free one with the lowest priority, then the oldest', async () => {
    const third = await createResource(shop, merchant, 'room', { priority: 1 })
    const first = await createResource(shop, merchant, 'room')
    const second = await createResource(shop, merchant, 'room')
    await staffFor([service])
    const ids = [await booked(), await booked(), await booked()]
    expect(await Promise.all(ids.map(resourcesOf))).toEqual([[first], [second], [third]])
  })

  test('takes as many of each kind as it needs, or is refused and takes none', async () => {
    const many = await createService(shop, merchant, { needs: { chair: 2, laser: 1 } })
    await Promise.all([staffFor([many]), staffFor([many])])
    const chairs = [
      await createResource(shop, merchant, 'chair'),
      await createResource(shop, merchant, 'chair'),
    ]
    const laser = await createResource(shop, merchant, 'laser')
    const spare = await createResource(shop, merchant, 'chair')
    expect(await resourcesOf(await booked(ten, many.id))).toEqual([...chairs, laser])
    await createResource(shop, merchant, 'laser')
    expect(errorsOf(await book(ten, many.id))).toEqual(taken)
    const one = await createService(shop, merchant, { needs: { chair: 1 } })
    await staffFor([one])
    expect(await resourcesOf(await booked(ten, one.id))).toEqual([spare])
  })

  test('is refused if the shop has fewer of the kind than the service needs, at any time', async () => {
    const few = ['serviceId: The shop has too few of the resources that the service needs']
    await createResource(shop, await shop.createMerchant(), 'room')
    expect(errorsOf(await book())).toEqual(few)
    await createResource(shop, merchant, 'room', { active: false })
    expect(errorsOf(await book())).toEqual(few)
  })

  test('finds rooms by their kind, ignoring case', async () => {
    await createResource(shop, merchant, 'Room')
    await booked()
  })
})

describe('a resource', () => {
  test('never serves two appointments at once: the database refuses any write that would', async () => {
    const room = await createResource(shop, merchant, 'room')
    await createResource(shop, merchant, 'room')
    const [one, other] = [await booked(), await booked()]
    const [late] = [await booked(noon)]
    await expect(
      shop.database`UPDATE booking.appointment_resource SET resource_id = ${room} WHERE appointment_id = ${other}`,
    ).rejects.toThrow('appointment_resource_no_overlap')
    await expect(
      shop.database`
        UPDATE booking.appointment SET start_time = ${ten}::text::timestamptz, end_time = ${ten}::text::timestamptz + interval '30 minutes',
          staff_id = ${await staffFor([service])}
        WHERE id = ${late}`,
    ).rejects.toThrow('appointment_resource_no_overlap')
    dataOf(await cancel(one))
    await booked()
    await expect(
      shop.database`UPDATE booking.appointment SET status = 'SCHEDULED', staff_id = ${await staffFor([service])} WHERE id = ${one}`,
    ).rejects.toThrow('appointment_resource_no_overlap')
  })

  test('is taken for the time of its appointment, whatever time the row has', async () => {
    await createResource(shop, merchant, 'room')
    const id = await booked()
    await expect(
      shop.database`UPDATE booking.appointment_resource SET takes_time = FALSE WHERE appointment_id = ${id}`,
    ).rejects.toThrow('appointment_resource_appointment_fkey')
    await expect(
      shop.database`UPDATE booking.appointment_resource SET end_time = end_time - interval '1 minute' WHERE appointment_id = ${id}`,
    ).rejects.toThrow('appointment_resource_appointment_fkey')
  })

  test('is free again when its appointment is cancelled or missed, and the appointment still lists it', async () => {
    const room = await createResource(shop, merchant, 'room')
    const cancelled = await booked()
    dataOf(await cancel(cancelled))
    const missed = await booked()
    await shop.database`UPDATE booking.appointment SET status = 'NO_SHOW' WHERE id = ${missed}`
    await booked()
    expect(await resourcesOf(cancelled)).toEqual([room])
    expect(await resourcesOf(missed)).toEqual([room])
  })

  test('that is archived keeps its appointments and gets no new ones', async () => {
    const room = await createResource(shop, merchant, 'room')
    const other = await createResource(shop, merchant, 'room')
    const id = await booked()
    await archive(room)
    expect(await resourcesOf(id)).toEqual([room])
    expect(await resourcesOf(await booked(noon))).toEqual([other])
    dataOf(await reschedule(id, daysAhead(3, '10:00')))
    expect(await resourcesOf(id)).toEqual([other])
  })
})

/** The first is chosen first if both are free. */
const twoRooms = async () => [
  await createResource(shop, merchant, 'room'),
  await createResource(shop, merchant, 'room', { priority: 1 }),
]

describe('moving an appointment', () => {
  test('keeps its room if that is free, and otherwise gets another', async () => {
    const rooms = await twoRooms()
    await booked()
    const id = await booked()
    expect(await resourcesOf(id)).toEqual([rooms[1]])
    dataOf(await reschedule(id, daysAhead(2, '10:15')))
    dataOf(await reschedule(id, noon))
    expect(await resourcesOf(id)).toEqual([rooms[1]])
    await booked(daysAhead(2, '14:00'), service.id, staffIds[0])
    await shop.database`UPDATE booking.resource SET priority = 2 WHERE id = ${rooms[0] ?? ''}`
    const last = await booked(daysAhead(2, '15:00'), service.id, staffIds[0])
    expect(await resourcesOf(last)).toEqual([rooms[1]])
    await archive(rooms[0] ?? '')
    expect(errorsOf(await reschedule(last, noon))).toEqual(taken)
    expect(await resourcesOf(last)).toEqual([rooms[1]])
  })

  test('to the time of an appointment that has its room gets another room', async () => {
    const rooms = await twoRooms()
    await booked(noon, service.id, staffIds[1])
    const id = await booked(ten, service.id, staffIds[0])
    expect(await resourcesOf(id)).toEqual([rooms[0]])
    dataOf(await reschedule(id, noon))
    expect(await resourcesOf(id)).toEqual([rooms[1]])
  })

  test('follows the service’s current needs; an appointment that is not moved keeps its resources', async () => {
    const room = await createResource(shop, merchant, 'room')
    const laser = await createResource(shop, merchant, 'laser')
    const id = await booked()
    await shop.database`UPDATE booking.resource_requirement SET kind = 'laser' WHERE service_id = ${service.id}`
    expect(await resourcesOf(id)).toEqual([room])
    expect(await resourcesOf(await booked())).toEqual([laser])
    expect(errorsOf(await reschedule(id, daysAhead(2, '10:15')))).toEqual(taken)
    dataOf(await reschedule(id, noon))
    expect(await resourcesOf(id)).toEqual([laser])
    await archive(laser)
    expect(errorsOf(await reschedule(id, ten))).toEqual([
      'id: The shop has too few of the resources that the service needs',
    ])
  })
})

describe('concurrently', () => {
  const bookIn = (sql: Queryable, staffId: string, serviceId = service.id) =>
    bookAppointment(sql, merchant.merchantId, wish(ten, serviceId, staffId), { byShopper: false })
  const outcomes = (answers: readonly { readonly outcome: string }[]) => answers.map(({ outcome }) => outcome)

  test('two bookings of the last room with two staff members succeed once', async () => {
    await createResource(shop, merchant, 'room')
    const answers = await overlap(
      shop.database,
      (sql) => bookIn(sql, staffIds[0]),
      () => bookIn(shop.database, staffIds[1]),
    )
    expect(outcomes(answers)).toEqual(['changed', 'invalid'])
    expect(answers[1]).toMatchObject({ refusals: [{ field: 'startTime', reason: 'resources_taken' }] })
  })

  test('two services that need the same kinds in another order get both, without a deadlock', async () => {
    const kinds = ['room', 'laser', 'chair']
    const services = [
      await createService(shop, merchant, { needs: { laser: 1, room: 1, chair: 1 } }),
      await createService(shop, merchant, { needs: { chair: 1, room: 1, laser: 1 } }),
    ]
    for (const kind of [...kinds, ...kinds.toReversed()]) await createResource(shop, merchant, kind)
    const staff = await Promise.all(Array.from({ length: 12 }, () => staffFor(services)))
    const answers = await Promise.all(
      staff.map((staffId, index) => bookIn(shop.database, staffId, services[index % 2]?.id)),
    )
    expect(outcomes(answers).filter((outcome) => outcome === 'changed')).toHaveLength(2)
  })

  test('a booking and a move to the last room succeed once', async () => {
    await createResource(shop, merchant, 'room')
    const id = await booked(noon, service.id, staffIds[0])
    const move = (sql: Queryable) =>
      rescheduleAppointment(
        sql,
        { merchantId: merchant.merchantId, id, owner: null },
        { startTime: ten, staffId: null },
      )
    const answers = await overlap(shop.database, move, () => bookIn(shop.database, staffIds[1]))
    expect(outcomes(answers)).toEqual(['changed', 'invalid'])
  })

  test.each([
    ['archived', 'UPDATE booking.resource SET active = FALSE WHERE id = $1'],
    ['deleted', 'DELETE FROM booking.resource WHERE id = $1'],
    ['made another kind', "UPDATE booking.resource SET kind = 'chair' WHERE id = $1"],
  ])('a booking does not get a room that is being %s', async (_how, statement) => {
    const room = await createResource(shop, merchant, 'room')
    const [, answer] = await overlap(
      shop.database,
      async (sql) => {
        await sql.unsafe(statement, [room])
        return { outcome: 'changed' }
      },
      () => bookIn(shop.database, staffIds[0]),
    )
    expect(answer).toMatchObject({ refusals: [{ reason: 'resources_taken' }] })
  })

  test('a room is not deleted while a booking takes it', async () => {
    const room = await createResource(shop, merchant, 'room')
    const [booking, deletion] = await overlap<string>(
      shop.database,
      async (sql) => (await bookIn(sql, staffIds[0])).outcome,
      () =>
        shop.database`DELETE FROM booking.resource WHERE id = ${room}`.then(
          () => 'deleted',
          (error: unknown) => String(error),
        ),
    )
    expect(booking).toBe('changed')
    expect(deletion).toContain('appointment_resource_resource_fkey')
  })

  test('twenty bookings get the three rooms of the shop', async () => {
    for (let index = 0; index < 3; index += 1) await createResource(shop, merchant, 'room')
    const staff = await Promise.all(Array.from({ length: 20 }, () => staffFor([service])))
    const answers = await Promise.all(staff.map((staffId) => bookIn(shop.database, staffId)))
    expect(outcomes(answers).filter((outcome) => outcome === 'changed')).toHaveLength(3)
  })
})

describe('availability', () => {
  const slots = async (of = service) => {
    const found = await availability(shop, merchant, {
      service: of,
      from: daysAhead(2, '09:00'),
      to: daysAhead(2, '11:00'),
    })
    return [...new Set(found.map(({ startTime }) => startTime.slice(11, 16)))]
  }

  test('is when staff and resources are free for the whole service', async () => {
    await createResource(shop, merchant, 'room')
    await booked(daysAhead(2, '09:50'), service.id, staffIds[0])
    expect(await slots()).toEqual(['09:00', '09:15', '10:30', '10:45'])
    // It ends after the range, and overlaps times inside the range.
    await booked(daysAhead(2, '11:10'), service.id, staffIds[0])
    expect(await slots()).toEqual(['09:00', '09:15', '10:30'])
    await createResource(shop, merchant, 'room')
    expect(await slots()).toHaveLength(8)
  })

  test('needs one room for the whole time: two rooms that are each free for a part are not enough', async () => {
    const long = await createService(shop, merchant, { duration: 60, needs: { room: 1 } })
    await staffFor([long])
    const first = await createResource(shop, merchant, 'room')
    await createResource(shop, merchant, 'room', { priority: 1 })
    await booked(daysAhead(2, '09:00'))
    await shop.database`UPDATE booking.resource SET priority = 2 WHERE id = ${first}`
    await booked(daysAhead(2, '09:30'))
    expect(await slots(long)).toEqual(['09:30', '09:45', '10:00', '10:15', '10:30', '10:45'])
  })

  test('is empty without enough resources, and archived ones don’t count', async () => {
    expect(await slots()).toEqual([])
    const room = await createResource(shop, merchant, 'room')
    expect(await slots()).toHaveLength(8)
    await archive(room)
    expect(await slots()).toEqual([])
  })

  test('offers exactly the times at which booking finds enough resources', async () => {
    const kept = fc.record({
      at: fc.nat({ max: 120 }),
      length: fc.integer({ min: 1, max: 90 }),
      on: fc.nat(),
    })
    let offered = 0
    await fc.assert(
      fc.asyncProperty(
        fc.record({ room: fc.constantFrom(1, 2), laser: fc.constantFrom(1, 2) }),
        fc.record({ room: fc.constantFrom(2, 3, 4), laser: fc.constantFrom(2, 3) }),
        fc.constantFrom(7, 15, 40),
        fc.array(kept, { maxLength: 8 }),
        async (needs, has, duration, appointments) => {
          merchant = await shop.createMerchant()
          const both = await createService(shop, merchant, { duration, needs })
          await staffFor([both])
          const resources: string[] = []
          for (const [kind, count] of Object.entries(has))
            for (let index = 0; index < count; index += 1)
              resources.push(await createResource(shop, merchant, kind))
          for (const { at, length, on } of appointments)
            await keep(both, resources[on % resources.length] ?? '', at, length)
          const open = await slots(both)
          expect(open).toEqual(await startsWithResources(both))
          offered += open.length
        },
      ),
      { numRuns: 20 },
    )
    expect(offered).toBeGreaterThan(0)
  }, 60_000)

  /** A resource's appointment with a staff member of its own, minutes after nine, unless the resource is taken. */
  async function keep(of: TestService, resourceId: string, at: number, length: number): Promise<void> {
    const from = new Date(Date.parse(daysAhead(2, '09:00')) + at * 60_000).toISOString()
    await shop.database`
      WITH appointment AS (
        INSERT INTO booking.appointment (merchant_id, service_id, staff_id, customer_id, start_time, end_time)
        SELECT ${merchant.merchantId}, ${of.id}, ${await createStaffMember(shop, merchant, {})}, ${merchant.customerId}, x.at, x.at + make_interval(mins => ${length})
        FROM (SELECT ${from}::text::timestamptz AS at) x
        RETURNING *
      )
      INSERT INTO booking.appointment_resource (merchant_id, appointment_id, resource_id, start_time, end_time, takes_time)
      SELECT merchant_id, id, ${resourceId}, start_time, end_time, takes_time FROM appointment
      ON CONFLICT DO NOTHING`
  }

  async function startsWithResources(of: TestService): Promise<readonly string[]> {
    const rows = await shop.database<{ start: string }[]>`
      SELECT to_char(start AT TIME ZONE 'UTC', 'HH24:MI') AS start
      FROM generate_series(
        ${daysAhead(2, '09:00')}::text::timestamptz, ${daysAhead(2, '10:45')}::text::timestamptz, '15 minutes'
      ) AS start
      WHERE booking.hold_resources(
        ${merchant.merchantId}, ${of.id}, start, start + make_interval(mins => ${of.duration}), NULL
      ) IS NOT NULL`
    return rows.map(({ start }) => start)
  }
})
