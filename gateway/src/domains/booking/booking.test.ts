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
  test('is what fits into working hours, earliest first, in one operation; the same for a key and a shopper', async () => {
    const answers = []
    for (const principal of [key, shopper]) {
      shop.takeCount()
      answers.push(await queryData(shop, principal, availability, { serviceId: service, ...tomorrow }))
      expect(shop.takeCount()).toBe(1)
    }
    const [first] = answers
    const slots = first?.['availability'] as readonly Slot[]
    // Half an hour from nine to eleven, on every quarter, with two of the three.
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

  test('is with one staff member when one is named', async () => {
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
    ['that is none', 'x'],
  ])('of a service %s is none', async (_what, serviceId) => {
    expect(await queryData(shop, key, availability, { serviceId, ...tomorrow })).toEqual({ availability: [] })
  })

  test.each([
    ['more than 31 days', day(1), day(33)],
    ['no time at all', day(1), day(1)],
    ['time that runs backwards', day(2), day(1)],
  ])('over %s is refused by the field `to`', async (_what, from, to) => {
    const result = await runQuery(shop, key, availability, { serviceId: service, from, to })
    expect(result).toMatchObject({
      kind: 'refused',
      errors: [{ id: 'SVC_VAL_003', details: { field: 'to' } }],
    })
  })
})

describe('what a shopper sees', () => {
  test('is its own appointments, with a service and staff that may be retired since', async () => {
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

  test('is what can be booked and who takes appointments, and nobody’s e-mail address or schedule', async () => {
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

test('a reminder of another time, or of another merchant’s appointment with another id, is none', async () => {
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
