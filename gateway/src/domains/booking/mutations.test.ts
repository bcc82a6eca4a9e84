import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { fixtureId } from '../../testing/shop.ts'

let gateway: TestGateway
let key: string
beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
})
afterAll(() => gateway[Symbol.asyncDispose]())

interface Payload {
  readonly errors: readonly { readonly field: string; readonly code: string }[]
  readonly [record: string]: unknown
}

/** Runs one mutation that must have no top-level error. */
async function mutate(field: string): Promise<Payload> {
  const answer = await send<Record<string, Payload>>(gateway, key, `mutation { result: ${field} }`)
  expect(answer.errors).toEqual([])
  return answer.data['result'] as Payload
}

const errors = 'errors { field code message }'
const faults = (payload: Payload) => payload.errors.map(({ field, code }) => `${field} ${code}`)
const staff = fixtureId('staff', 1, 1)
const service = (n: number, merchant: 1 | 2 = 1) => fixtureId('service', merchant, n)

describe('a service', () => {
  test('can be created, changed and deleted', async () => {
    const input = '{ name: "Fitting", duration: 45, price: 3000000000, currency: "USD", description: "x" }'
    const created = await mutate(
      `createBookingService(input: ${input}) { bookingService { id name duration price active } ${errors} }`,
    )
    expect(created).toMatchObject({
      bookingService: { name: 'Fitting', duration: 45, price: 3_000_000_000, active: true },
      errors: [],
    })
    const { id } = created['bookingService'] as { readonly id: string }
    expect(
      await mutate(
        `updateBookingService(id: "${id}", input: { duration: 60, description: null }) { bookingService { duration description } ${errors} }`,
      ),
    ).toMatchObject({ bookingService: { duration: 60, description: null } })
    expect(await mutate(`deleteBookingService(id: "${id}") { success ${errors} }`)).toMatchObject({
      success: true,
    })
  })

  test.each([
    [
      'name: "", duration: 0, price: -1, currency: "x"',
      ['name REQUIRED_FIELD', 'duration OUT_OF_RANGE', 'price OUT_OF_RANGE', 'currency INVALID_FORMAT'],
    ],
    ['name: "x", duration: 1441, price: 0, currency: "USD"', ['duration OUT_OF_RANGE']],
  ])('with %s is refused with all wrong fields at once', async (input, expected) => {
    expect(
      faults(await mutate(`createBookingService(input: { ${input} }) { bookingService { id } ${errors} }`)),
    ).toEqual(expected)
  })

  test('with appointments can’t be deleted, and neither can their staff member, customer or resource', async () => {
    for (const [field, id] of [
      ['deleteBookingService', service(1)],
      ['deleteStaffMember', staff],
      ['deleteResource', fixtureId('resource', 1, 1)],
      ['deleteCustomer', fixtureId('customer', 1, 3)],
    ] as const)
      expect([field, faults(await mutate(`${field}(id: "${id}") { success ${errors} }`))]).toEqual([
        field,
        ['id INVALID_VALUE'],
      ])
  })
})

describe('a staff member', () => {
  test('is created with services, which an update replaces', async () => {
    const input = `{ name: "Ada", email: "ada@example.com", timeZone: "Europe/Berlin", serviceIds: ["${service(1)}", "${service(2)}", "${service(1)}"] }`
    const created = await mutate(
      `createStaffMember(input: ${input}) { staffMember { id timeZone priority services { name } schedule { id } } ${errors} }`,
    )
    expect(created).toMatchObject({
      staffMember: {
        timeZone: 'Europe/Berlin',
        priority: 0,
        services: [{ name: 'Service 1' }, { name: 'Service 2' }],
        schedule: [],
      },
      errors: [],
    })
    const { id } = created['staffMember'] as { readonly id: string }
    const update = (change: string) =>
      mutate(
        `updateStaffMember(id: "${id}", input: { ${change} }) { staffMember { name timeZone services { name } } ${errors} }`,
      )
    expect(await update(`serviceIds: ["${service(3)}"]`)).toMatchObject({
      staffMember: { name: 'Ada', services: [{ name: 'Service 3' }] },
    })
    expect(await update('serviceIds: [], timeZone: null, name: "Ada L."')).toMatchObject({
      staffMember: { name: 'Ada L.', timeZone: null, services: [] },
    })
    expect(await mutate(`deleteStaffMember(id: "${id}") { success ${errors} }`)).toMatchObject({
      success: true,
    })
  })

  test.each([
    ['timeZone: "Middle/Earth"', 'timeZone INVALID_FORMAT'],
    ['timeZone: "+01:00"', 'timeZone INVALID_FORMAT'],
    ['email: "staff2@example.com"', 'email ALREADY_EXISTS'],
    ['priority: -1', 'priority OUT_OF_RANGE'],
    ['name: null', 'name REQUIRED_FIELD'],
  ])('can’t be updated with %s', async (change, expected) => {
    const payload = await mutate(
      `updateStaffMember(id: "${staff}", input: { ${change} }) { staffMember { id } ${errors} }`,
    )
    expect(faults(payload)).toEqual([expected])
  })

  test('can’t get another merchant’s service, and keeps its own', async () => {
    const payload = await mutate(
      `updateStaffMember(id: "${staff}", input: { serviceIds: ["${service(1, 2)}"] }) { staffMember { id } ${errors} }`,
    )
    expect(faults(payload)).toEqual(['serviceIds.0 NOT_FOUND'])
    const rows = await gateway.shop.sql(`SELECT FROM booking.staff_service WHERE staff_id = '${staff}'`)
    expect(rows).toHaveLength(3)
  })

  test('of another merchant is not found', async () => {
    const theirs = fixtureId('staff', 2, 1)
    for (const mutation of [
      `updateStaffMember(id: "${theirs}", input: { name: "Mine", serviceIds: ["${service(1)}"] }) { staffMember { id } ${errors} }`,
      `deleteStaffMember(id: "${theirs}") { success ${errors} }`,
    ])
      expect(faults(await mutate(mutation))).toEqual(['id NOT_FOUND'])
  })
})

describe('a resource', () => {
  test('can be created, changed and deleted', async () => {
    const created = await mutate(
      `createResource(input: { name: "Room 1", kind: "Room" }) { resource { id name kind active priority } ${errors} }`,
    )
    expect(created).toMatchObject({
      resource: { name: 'Room 1', kind: 'Room', active: true, priority: 0 },
      errors: [],
    })
    const { id } = created['resource'] as { readonly id: string }
    expect(
      await mutate(
        `updateResource(id: "${id}", input: { kind: "room", active: false, priority: 3 }) { resource { name kind active priority } ${errors} }`,
      ),
    ).toMatchObject({ resource: { name: 'Room 1', kind: 'room', active: false, priority: 3 } })
    expect(await mutate(`deleteResource(id: "${id}") { success ${errors} }`)).toMatchObject({ success: true })
    expect(faults(await mutate(`deleteResource(id: "${id}") { success ${errors} }`))).toEqual([
      'id NOT_FOUND',
    ])
  })

  test('with invalid values is refused with all wrong fields at once', async () => {
    const input = '{ name: " ", kind: "", priority: -1 }'
    expect(faults(await mutate(`createResource(input: ${input}) { resource { id } ${errors} }`))).toEqual([
      'name REQUIRED_FIELD',
      'kind REQUIRED_FIELD',
      'priority OUT_OF_RANGE',
    ])
  })

  test('of another merchant is not found', async () => {
    const theirs = fixtureId('resource', 2, 2)
    for (const mutation of [
      `updateResource(id: "${theirs}", input: { name: "Mine" }) { resource { id } ${errors} }`,
      `deleteResource(id: "${theirs}") { success ${errors} }`,
    ])
      expect(faults(await mutate(mutation))).toEqual(['id NOT_FOUND'])
  })
})

describe('a service’s needs', () => {
  const create = (resources: string) =>
    mutate(
      `createBookingService(input: { name: "Fitting", duration: 45, price: 0, currency: "USD", resources: ${resources} })
        { bookingService { id resources { kind quantity } } ${errors} }`,
    )
  const change = (id: string, input: string) =>
    mutate(
      `updateBookingService(id: "${id}", input: ${input}) { bookingService { name resources { kind quantity } } ${errors} }`,
    )

  test('are written with the service, replaced as a whole, and kept if the input omits them', async () => {
    const created = await create('[{ kind: "room" }, { kind: "chair", quantity: 2 }]')
    expect(created).toMatchObject({
      bookingService: {
        resources: [
          { kind: 'chair', quantity: 2 },
          { kind: 'room', quantity: 1 },
        ],
      },
      errors: [],
    })
    const { id } = created['bookingService'] as { readonly id: string }
    const needs = [{ kind: 'laser', quantity: 3 }]
    expect(await change(id, '{ resources: [{ kind: "laser", quantity: 3 }] }')).toMatchObject({
      bookingService: { resources: needs },
    })
    expect(await change(id, '{ name: "Other" }')).toMatchObject({
      bookingService: { name: 'Other', resources: needs },
    })
    expect(await change(id, '{ resources: [] }')).toMatchObject({ bookingService: { resources: [] } })
    expect(faults(await change(id, '{ resources: null }'))).toEqual(['resources REQUIRED_FIELD'])
  })

  test.each([
    ['[{ kind: "room" }, { kind: "Room" }]', ['resources.1.kind INVALID_VALUE']],
    [
      '[{ kind: "", quantity: 0 }, { kind: "room", quantity: 21 }]',
      [
        'resources.0.kind REQUIRED_FIELD',
        'resources.0.quantity OUT_OF_RANGE',
        'resources.1.quantity OUT_OF_RANGE',
      ],
    ],
  ])('are refused as %s, with all wrong fields at once', async (resources, expected) => {
    expect(faults(await create(resources))).toEqual(expected)
    expect(faults(await change(service(1), `{ resources: ${resources} }`))).toEqual(expected)
  })

  test('of another merchant’s service can’t be changed', async () => {
    expect(faults(await change(service(1, 2), '{ resources: [{ kind: "room" }] }'))).toEqual(['id NOT_FOUND'])
    const [row] = await gateway.shop.sql(
      `SELECT string_agg(kind, ',') AS kinds FROM booking.resource_requirement WHERE service_id = '${service(1, 2)}'`,
    )
    expect(row?.['kinds']).toBe('bench')
  })
})

describe('a schedule', () => {
  const create = (input: string) =>
    mutate(
      `createSchedule(input: { staffId: "${staff}", ${input} }) { schedule { id type weekday startDate endDate startTime endTime } ${errors} }`,
    )

  test('has weekly hours and exceptions', async () => {
    expect(await create('type: WEEKLY, weekday: MONDAY, startTime: "18:00", endTime: "20:30"')).toMatchObject(
      {
        schedule: {
          type: 'WEEKLY',
          weekday: 'MONDAY',
          startDate: null,
          endDate: null,
          startTime: '18:00',
          endTime: '20:30',
        },
      },
    )
    const off = await create('type: TIME_OFF, startDate: "2030-07-01", endDate: "2030-07-14"')
    expect(off).toMatchObject({
      schedule: {
        weekday: null,
        startDate: '2030-07-01',
        endDate: '2030-07-14',
        startTime: '00:00',
        endTime: '24:00',
      },
    })
    const { id } = off['schedule'] as { readonly id: string }
    const update = (change: string) =>
      mutate(`updateSchedule(id: "${id}", input: { ${change} }) { schedule { endDate startTime } ${errors} }`)
    expect(await update('endDate: "2030-07-21", startTime: "12:00"')).toMatchObject({
      schedule: { endDate: '2030-07-21', startTime: '12:00' },
    })
    // The database checks rules that need more than the input.
    expect(faults(await update('endDate: "2030-06-30"'))).toEqual(['endDate INVALID_VALUE'])
    expect(faults(await update('endTime: "11:00"'))).toEqual(['endTime INVALID_VALUE'])
    expect(faults(await update('weekday: MONDAY'))).toEqual(['weekday INVALID_VALUE'])
    expect(faults(await update('startDate: null'))).toEqual(['startDate INVALID_VALUE'])
    expect(await mutate(`deleteSchedule(id: "${id}") { success ${errors} }`)).toMatchObject({ success: true })
  })

  test.each([
    ['type: WEEKLY', ['weekday REQUIRED_FIELD']],
    ['type: TIME_OFF, weekday: MONDAY', ['weekday INVALID_VALUE', 'startDate REQUIRED_FIELD']],
    [
      'type: EXTRA_HOURS, startDate: "2030-07-02", endDate: "2030-07-01", startTime: "10:00", endTime: "10:00"',
      ['endDate INVALID_VALUE', 'endTime INVALID_VALUE'],
    ],
    [
      'type: WEEKLY, weekday: MONDAY, startTime: "24:00", endTime: "9:00"',
      ['startTime INVALID_FORMAT', 'endTime INVALID_FORMAT'],
    ],
  ])('with %s is refused with all wrong fields at once', async (input, expected) => {
    expect(faults(await create(input))).toEqual(expected)
  })

  test('of another merchant’s staff is refused', async () => {
    const input = `{ staffId: "${fixtureId('staff', 2, 1)}", type: WEEKLY, weekday: MONDAY }`
    expect(faults(await mutate(`createSchedule(input: ${input}) { schedule { id } ${errors} }`))).toEqual([
      'staffId NOT_FOUND',
    ])
  })
})

test('an update of an appointment’s notes changes nothing else', async () => {
  const id = fixtureId('appointment', 1, 2)
  expect(
    await mutate(
      `updateAppointment(id: "${id}", input: { notes: "Bring both shoes" }) { appointment { notes status } ${errors} }`,
    ),
  ).toMatchObject({ appointment: { notes: 'Bring both shoes', status: 'SCHEDULED' } })
})
