import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { queryData, runQuery } from '../../testing/run.ts'
import {
  customerPrincipal,
  fixtureId,
  keyPrincipal,
  openTestShop,
  type TestShop,
} from '../../testing/shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop[Symbol.asyncDispose]())

const key = keyPrincipal(1)
const shopper = customerPrincipal(1)
const day = (ahead: number) =>
  `${new Date(Date.now() + ahead * 86_400_000).toISOString().slice(0, 10)}T00:00:00Z`
const tomorrow = { from: day(1), to: day(2) }
const service = fixtureId('service', 1, 1)

interface Slot {
  readonly startTime: string
  readonly staffId: string
}

const availability = `query ($serviceId: ID!, $staffId: ID, $from: DateTime!, $to: DateTime!) {
  availability(serviceId: $serviceId, staffId: $staffId, from: $from, to: $to) {
    startTime endTime serviceId service { name duration } staffId staff { name }
  }
}`

describe('availability', () => {
  test('lists the times within working hours, earliest first, in one operation; the same for a key and a shopper', async () => {
    const answers = []
    for (const principal of [key, shopper]) {
      shop.takeCount()
      answers.push(await queryData(shop, principal, availability, { serviceId: service, ...tomorrow }))
      expect(shop.takeCount()).toBe(1)
    }
    const [first] = answers
    const slots = first?.['availability'] as readonly Slot[]
    // Half an hour from nine to eleven, at every quarter hour, with two of the three staff members.
    expect(slots).toHaveLength(14)
    expect(slots[0]).toMatchObject({
      startTime: `${tomorrow.from.slice(0, 10)}T09:00:00.000Z`,
      endTime: `${tomorrow.from.slice(0, 10)}T09:30:00.000Z`,
      serviceId: service,
      service: { name: 'Service 1', duration: 30 },
    })
    expect(slots.map(({ startTime }) => startTime)).toEqual(slots.map(({ startTime }) => startTime).sort())
    expect(answers[1]).toEqual(first)
  })

  test('is for one staff member if one is named', async () => {
    const staffId = fixtureId('staff', 1, 2)
    const { availability: slots } = await queryData(shop, key, availability, {
      serviceId: service,
      staffId,
      ...tomorrow,
    })
    expect((slots as readonly Slot[]).map((slot) => slot.staffId)).toEqual(Array(7).fill(staffId))
  })

  test.each([
    ['of another merchant', fixtureId('service', 2, 1)],
    ['that can’t be booked', fixtureId('service', 1, 3)],
    ['with an invalid id', 'x'],
  ])('of a service %s is empty', async (_what, serviceId) => {
    expect(await queryData(shop, key, availability, { serviceId, ...tomorrow })).toEqual({ availability: [] })
  })

  test.each([
    ['more than 31 days', day(1), day(33)],
    ['an empty range', day(1), day(1)],
    ['a range that ends before it begins', day(2), day(1)],
  ])('over %s is refused with an error on the field `to`', async (_what, from, to) => {
    const result = await runQuery(shop, key, availability, { serviceId: service, from, to })
    expect(result).toMatchObject({
      kind: 'refused',
      errors: [{ id: 'SVC_VAL_003', details: { field: 'to' } }],
    })
  })
})

describe('a shopper', () => {
  test('sees its own appointments, including archived services and staff', async () => {
    await shop.sql(`UPDATE booking.service SET active = false WHERE id = '${fixtureId('service', 1, 1)}'`)
    const { appointments } = await queryData(
      shop,
      shopper,
      '{ appointments { totalCount edges { node { customerId reminderSent service { name } staff { name } } } } }',
    )
    await shop.sql(`UPDATE booking.service SET active = true WHERE id = '${fixtureId('service', 1, 1)}'`)
    expect(appointments).toEqual({
      totalCount: 1,
      edges: [
        {
          node: {
            customerId: fixtureId('customer', 1, 1),
            reminderSent: true,
            service: { name: 'Service 1' },
            staff: { name: 'Staff 1' },
          },
        },
      ],
    })
  })

  test('sees active services and staff, but no e-mail addresses or schedules', async () => {
    const lists =
      '{ bookingServices { edges { node { name } } } staffMembers { edges { node { name services { name } } } } }'
    expect(await queryData(shop, shopper, lists)).toEqual({
      bookingServices: { edges: [1, 2].map((n) => ({ node: { name: `Service ${n}` } })) },
      staffMembers: {
        edges: [1, 2].map((n) => ({
          node: { name: `Staff ${n}`, services: [{ name: 'Service 1' }, { name: 'Service 2' }] },
        })),
      },
    })
    for (const field of ['email', 'phone', 'timeZone', 'schedule { id }']) {
      const answer = await runQuery(shop, shopper, `{ staffMembers { edges { node { ${field} } } } }`)
      expect(answer).toHaveProperty('errors.0.id', 'SVC_AUTH_003')
      expect(answer).toHaveProperty('errors.0.details.field', `StaffMember.${field.split(' ')[0] ?? ''}`)
    }
  })
})

describe('a resource', () => {
  const bench = fixtureId('resource', 1, 1)

  test('is found by its kind, ignoring case, and appointments by their resource', async () => {
    const query = `{
      resources(filters: { kind: "BENCH", active: true, searchQuery: "ource 2" }) { totalCount edges { node { name kind } } }
      appointments(filters: { resourceId: "${bench}" }) { edges { node { resources { id name } } } }
      bookingService(id: "${fixtureId('service', 1, 1)}") { resources { kind quantity } }
    }`
    const withBench = { node: { resources: [{ id: bench, name: 'Resource 1' }] } }
    expect(await queryData(shop, key, query)).toEqual({
      resources: { totalCount: 1, edges: [{ node: { name: 'Resource 2', kind: 'bench' } }] },
      appointments: { edges: [withBench, withBench] },
      bookingService: { resources: [{ kind: 'bench', quantity: 1 }] },
    })
  })

  test('is visible to a shopper in its own appointments only', async () => {
    const own = '{ appointments { edges { node { resources { id name kind } } } } }'
    expect(await queryData(shop, shopper, own)).toEqual({
      appointments: { edges: [{ node: { resources: [{ id: bench, name: 'Resource 1', kind: 'bench' }] } }] },
    })
    for (const query of [
      '{ resources { totalCount } }',
      `{ resource(id: "${bench}") { id } }`,
      '{ appointments { edges { node { resources { priority } } } } }',
      '{ bookingServices { edges { node { resources { kind } } } } }',
    ])
      expect(await runQuery(shop, shopper, query)).toHaveProperty('errors.0.id', 'SVC_AUTH_003')
  })
})

test('a reminder for another time of the appointment does not count as sent', async () => {
  const query = '{ appointments(filters: { status: SCHEDULED }) { edges { node { reminderSent } } } }'
  expect(await queryData(shop, key, query)).toEqual({
    appointments: { edges: [{ node: { reminderSent: false } }, { node: { reminderSent: false } }] },
  })
  await shop.sql(`INSERT INTO booking.reminder (merchant_id, appointment_id, start_time)
    SELECT merchant_id, id, start_time - interval '1 day' FROM booking.appointment WHERE id = '${fixtureId('appointment', 1, 2)}'`)
  expect(await queryData(shop, key, query)).toEqual({
    appointments: { edges: [{ node: { reminderSent: false } }, { node: { reminderSent: false } }] },
  })
})
