import { found, type TestMerchant, type TestShop } from './test-shop.ts'

export interface TestService {
  readonly id: string
  /** Minutes. */
  readonly duration: number
}

export interface ScheduleEntry {
  readonly type: 'WEEKLY' | 'TIME_OFF' | 'EXTRA_HOURS'
  readonly weekday?: string
  readonly startDate?: string
  readonly endDate?: string
  readonly startTime?: string
  readonly endTime?: string
}

export const weekdays = [
  'SUNDAY',
  'MONDAY',
  'TUESDAY',
  'WEDNESDAY',
  'THURSDAY',
  'FRIDAY',
  'SATURDAY',
] as const

/** The same hours on every day of the week. */
export const everyDay = (startTime: string, endTime: string): readonly ScheduleEntry[] =>
  weekdays.map((weekday) => ({ type: 'WEEKLY', weekday, startTime, endTime }))

export async function createService(
  { database }: TestShop,
  { merchantId }: TestMerchant,
  {
    duration = 30,
    active = true,
    needs = {},
    terms = {},
  }: {
    readonly duration?: number
    readonly active?: boolean
    /** The number of needed resources of each kind. */
    readonly needs?: Readonly<Record<string, number>>
    /** Columns that say how it is paid. */
    readonly terms?: Readonly<Record<string, string | number>>
  } = {},
): Promise<TestService> {
  const row = {
    merchant_id: merchantId,
    name: 'Repair',
    duration,
    price: 2000,
    currency: 'USD',
    active,
    ...terms,
  }
  const [service] = await database<{ id: string }[]>`
    INSERT INTO booking.service ${database(row)} RETURNING id`
  const { id } = found(service)
  for (const [kind, quantity] of Object.entries(needs)) {
    await database`
      INSERT INTO booking.resource_requirement (merchant_id, service_id, kind, quantity)
      VALUES (${merchantId}, ${id}, ${kind}, ${quantity})`
  }
  return { id, duration }
}

/** A room, a chair or a piece of equipment. */
export async function createResource(
  { database }: TestShop,
  { merchantId }: TestMerchant,
  kind: string,
  { name = kind, priority = 0, active = true } = {},
): Promise<string> {
  const [resource] = await database<{ id: string }[]>`
    INSERT INTO booking.resource (merchant_id, name, kind, priority, active)
    VALUES (${merchantId}, ${name}, ${kind}, ${priority}, ${active})
    RETURNING id`
  return found(resource).id
}

let staff = 0

/** A staff member with a schedule who offers the services. `timeZone` null: the merchant's. */
export async function createStaffMember(
  { database }: TestShop,
  { merchantId }: TestMerchant,
  {
    timeZone = null,
    services = [],
    schedule = [],
    active = true,
  }: {
    readonly timeZone?: string | null
    readonly services?: readonly TestService[]
    readonly schedule?: readonly ScheduleEntry[]
    readonly active?: boolean
  },
): Promise<string> {
  staff += 1
  const [member] = await database<{ id: string }[]>`
    INSERT INTO booking.staff_member (merchant_id, name, email, time_zone, active)
    VALUES (${merchantId}, 'Staff', ${`staff${staff}@example.com`}, ${timeZone}, ${active})
    RETURNING id`
  const { id } = found(member)
  for (const service of services) {
    await database`
      INSERT INTO booking.staff_service (merchant_id, staff_id, service_id) VALUES (${merchantId}, ${id}, ${service.id})`
  }
  for (const entry of schedule) {
    const {
      type,
      weekday = null,
      startDate = null,
      endDate = null,
      startTime = '00:00',
      endTime = '24:00',
    } = entry
    await database`
      INSERT INTO booking.schedule (merchant_id, staff_id, type, weekday, start_date, end_date, start_time, end_time)
      VALUES (${merchantId}, ${id}, ${type}, ${weekday}, ${startDate}, ${endDate}, ${startTime}, ${endTime})`
  }
  return id
}

export interface Hours {
  /** ISO 8601, UTC. */
  readonly from: string
  readonly to: string
}

/** The working hours of a staff member between two moments. */
export async function workingHours(
  { database }: TestShop,
  { merchantId }: TestMerchant,
  staffId: string,
  { from, to }: Hours,
): Promise<readonly Hours[]> {
  const rows = await database<{ from: Date; to: Date }[]>`
    SELECT lower(during) AS from, upper(during) AS to
    FROM unnest(booking.working_hours(
      ${merchantId}, ${staffId}, ${from}::text::timestamptz, ${to}::text::timestamptz
    )) AS hours (during)`
  return rows.map((row) => ({ from: minute(row.from), to: minute(row.to) }))
}

export interface Slot {
  readonly staffId: string
  readonly startTime: string
}

/** The available times, as Hasura's function returns them. */
export async function availability(
  { database }: TestShop,
  { merchantId }: TestMerchant,
  {
    service,
    staffId = null,
    from,
    to,
  }: { readonly service: TestService; readonly staffId?: string | null } & Hours,
): Promise<readonly Slot[]> {
  const session = database.json({ 'x-hasura-merchant-id': merchantId })
  const rows = await database<{ staff_id: string; start_time: Date }[]>`
    SELECT staff_id, start_time
    FROM booking.availability(
      ${session}::jsonb::json, ${service.id}, ${from}::text::timestamptz, ${to}::text::timestamptz, ${staffId}
    )
    ORDER BY start_time, staff_id`
  return rows.map((row) => ({ staffId: row.staff_id, startTime: minute(row.start_time) }))
}

/** `2026-03-29T01:00Z` */
export const minute = (date: Date): string => date.toISOString().replace(/:00\.000Z$/, 'Z')

/** Midnight UTC, the given number of days from today, or another time of that day. */
export function daysAhead(days: number, time = '00:00'): string {
  const day = new Date(Date.now() + days * 24 * 60 * 60 * 1000).toISOString().slice(0, 10)
  return `${day}T${time}Z`
}
