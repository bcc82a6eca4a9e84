import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createStaffMember,
  everyDay,
  type ScheduleEntry,
  weekdays,
  workingHours,
} from '../testing/booking-calendar.ts'
import { openTestShop, type TestMerchant, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
let merchant: TestMerchant
beforeAll(async () => {
  shop = await openTestShop()
  merchant = await shop.createMerchant()
})
afterAll(() => shop.close())

async function hoursOf(timeZone: string, schedule: readonly ScheduleEntry[], from: string, to: string) {
  const staffId = await createStaffMember(shop, merchant, { timeZone, schedule })
  const hours = await workingHours(shop, merchant, staffId, { from, to })
  return hours.map(({ from: start, to: end }) => `${start} ${end}`)
}

describe('on the day of a change of the clock', () => {
  test.each([
    // Forward at 02:00 to 03:00, and back at 02:00 to 01:00.
    [
      'America/New_York',
      '2026-03-08',
      '2026-03-08T05:00Z 2026-03-09T04:00Z',
      '2026-03-08T13:00Z 2026-03-08T21:00Z',
    ],
    [
      'America/New_York',
      '2026-11-01',
      '2026-11-01T04:00Z 2026-11-02T05:00Z',
      '2026-11-01T14:00Z 2026-11-01T22:00Z',
    ],
    // Forward at 02:00 to 03:00, and back at 03:00 to 02:00.
    [
      'Europe/Berlin',
      '2026-03-29',
      '2026-03-28T23:00Z 2026-03-29T22:00Z',
      '2026-03-29T07:00Z 2026-03-29T15:00Z',
    ],
    [
      'Europe/Berlin',
      '2026-10-25',
      '2026-10-24T22:00Z 2026-10-25T23:00Z',
      '2026-10-25T08:00Z 2026-10-25T16:00Z',
    ],
    // The southern summer, by half an hour.
    [
      'Australia/Lord_Howe',
      '2026-10-04',
      '2026-10-03T13:30Z 2026-10-04T13:00Z',
      '2026-10-03T22:00Z 2026-10-04T06:00Z',
    ],
    [
      'Australia/Lord_Howe',
      '2026-04-05',
      '2026-04-04T13:00Z 2026-04-05T13:30Z',
      '2026-04-04T22:30Z 2026-04-05T06:30Z',
    ],
    // At midnight: the day starts at 01:00, and 00:00 to 01:00 occurs twice.
    [
      'America/Havana',
      '2026-03-08',
      '2026-03-08T05:00Z 2026-03-09T04:00Z',
      '2026-03-08T13:00Z 2026-03-08T21:00Z',
    ],
    [
      'America/Havana',
      '2026-11-01',
      '2026-11-01T05:00Z 2026-11-02T05:00Z',
      '2026-11-01T14:00Z 2026-11-01T22:00Z',
    ],
    // No change of the clock.
    [
      'Asia/Kolkata',
      '2026-03-29',
      '2026-03-28T18:30Z 2026-03-29T18:30Z',
      '2026-03-29T03:30Z 2026-03-29T11:30Z',
    ],
  ])('%s, %s: the whole day, and 09:00 to 17:00', async (timeZone, date, wholeDay, working) => {
    const [from, to] = [new Date(`${date}T00:00Z`), new Date(`${date}T00:00Z`)]
    from.setUTCDate(from.getUTCDate() - 1)
    to.setUTCDate(to.getUTCDate() + 2)
    const day = { type: 'EXTRA_HOURS', startDate: date } as const
    const range = [from.toISOString(), to.toISOString()] as const
    expect(await hoursOf(timeZone, [day], ...range)).toEqual([wholeDay])
    expect(await hoursOf(timeZone, [{ ...day, startTime: '09:00', endTime: '17:00' }], ...range)).toEqual([
      working,
    ])
  })

  test('hours that the clock skips don’t exist, and hours that it repeats count once', async () => {
    const skipped = { type: 'EXTRA_HOURS', startDate: '2026-03-29' } as const
    const range = ['2026-03-28T12:00Z', '2026-03-30T12:00Z'] as const
    expect(
      await hoursOf('Europe/Berlin', [{ ...skipped, startTime: '02:00', endTime: '03:00' }], ...range),
    ).toEqual([])
    expect(
      await hoursOf('Europe/Berlin', [{ ...skipped, startTime: '02:30', endTime: '03:00' }], ...range),
    ).toEqual([])
    const twice = {
      type: 'EXTRA_HOURS',
      startDate: '2026-10-25',
      startTime: '02:15',
      endTime: '02:45',
    } as const
    expect(await hoursOf('Europe/Berlin', [twice], '2026-10-24T12:00Z', '2026-10-26T12:00Z')).toEqual([
      '2026-10-25T01:15Z 2026-10-25T01:45Z',
    ])
  })

  test('days without a break are continuous time, over every midnight of a year', async () => {
    for (const timeZone of [
      'America/Havana',
      'America/Santiago',
      'Africa/Cairo',
      'Europe/Lisbon',
      'Pacific/Chatham',
    ])
      expect(
        await hoursOf(timeZone, everyDay('00:00', '24:00'), '2026-01-01T00:00Z', '2027-01-01T00:00Z'),
      ).toEqual(['2026-01-01T00:00Z 2027-01-01T00:00Z'])
  })
})

/** The local time by ICU, which does not depend on Postgres. */
function wallClock(timeZone: string) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (at: Date) => {
    const parts = new Map(format.formatToParts(at).map(({ type, value }) => [type, value]))
    return {
      weekday: parts.get('weekday')?.toUpperCase(),
      time: `${parts.get('hour') ?? ''}:${parts.get('minute') ?? ''}`,
    }
  }
}

const quarter = 15 * 60 * 1000

test('a staff member works whenever the local clock shows working hours, in any zone, over both changes', async () => {
  const zone = fc.constantFrom(
    'America/New_York',
    'America/Los_Angeles',
    'Europe/Berlin',
    'Europe/London',
    'Australia/Sydney',
    'Pacific/Auckland',
    'Asia/Kathmandu',
  )
  // Around the changes of 2026 in all of these zones.
  const week = fc.constantFrom(
    '2026-03-06',
    '2026-03-27',
    '2026-04-03',
    '2026-09-25',
    '2026-10-02',
    '2026-10-23',
    '2026-10-30',
  )
  // An end of working hours inside the changed hour is ambiguous; the tests above define it.
  const hour = fc.integer({ min: 4, max: 24 }).map((n) => `${String(n).padStart(2, '0')}:00`)
  const entry = fc.tuple(fc.constantFrom(...weekdays), hour, hour).filter(([, start, end]) => start < end)
  await fc.assert(
    fc.asyncProperty(
      zone,
      week,
      fc.array(entry, { minLength: 1, maxLength: 5 }),
      async (timeZone, day, entries) => {
        const schedule = entries.map(([weekday, startTime, endTime]): ScheduleEntry => ({
          type: 'WEEKLY',
          weekday,
          startTime,
          endTime,
        }))
        const staffId = await createStaffMember(shop, merchant, { timeZone, schedule })
        const from = Date.parse(`${day}T00:00Z`)
        const to = from + 5 * 24 * 60 * 60 * 1000
        const hours = await workingHours(shop, merchant, staffId, {
          from: new Date(from).toISOString(),
          to: new Date(to).toISOString(),
        })
        const clock = wallClock(timeZone)
        for (let at = from; at < to; at += quarter) {
          const { weekday, time } = clock(new Date(at))
          const expected = entries.some(([on, start, end]) => on === weekday && start <= time && time < end)
          const works = hours.some((each) => Date.parse(each.from) <= at && at < Date.parse(each.to))
          expect([timeZone, new Date(at).toISOString(), works]).toEqual([
            timeZone,
            new Date(at).toISOString(),
            expected,
          ])
        }
      },
    ),
    { numRuns: 40 },
  )
}, 60_000)

describe('a schedule', () => {
  const monday = ['2026-06-01T00:00Z', '2026-06-02T00:00Z'] as const
  const weekly = { type: 'WEEKLY', weekday: 'MONDAY', startTime: '09:00', endTime: '17:00' } as const

  test('is the weekly hours minus time off, plus extra hours, which override time off', async () => {
    const off = { type: 'TIME_OFF', startDate: '2026-06-01' } as const
    const extra = {
      type: 'EXTRA_HOURS',
      startDate: '2026-06-01',
      startTime: '18:00',
      endTime: '20:00',
    } as const
    expect(await hoursOf('UTC', [weekly], ...monday)).toEqual(['2026-06-01T09:00Z 2026-06-01T17:00Z'])
    expect(
      await hoursOf('UTC', [weekly, { ...off, startTime: '12:00', endTime: '13:00' }], ...monday),
    ).toEqual(['2026-06-01T09:00Z 2026-06-01T12:00Z', '2026-06-01T13:00Z 2026-06-01T17:00Z'])
    expect(await hoursOf('UTC', [weekly, off], ...monday)).toEqual([])
    expect(await hoursOf('UTC', [weekly, off, extra], ...monday)).toEqual([
      '2026-06-01T18:00Z 2026-06-01T20:00Z',
    ])
  })

  test('applies from its first day to its last', async () => {
    const june = ['2026-06-01T00:00Z', '2026-06-30T00:00Z'] as const
    const bounded = { ...weekly, startDate: '2026-06-08', endDate: '2026-06-15' }
    expect(await hoursOf('UTC', [bounded], ...june)).toEqual([
      '2026-06-08T09:00Z 2026-06-08T17:00Z',
      '2026-06-15T09:00Z 2026-06-15T17:00Z',
    ])
    const holiday = { type: 'TIME_OFF', startDate: '2026-06-02', endDate: '2026-06-28' } as const
    expect(await hoursOf('UTC', [weekly, holiday], ...june)).toEqual([
      '2026-06-01T09:00Z 2026-06-01T17:00Z',
      '2026-06-29T09:00Z 2026-06-29T17:00Z',
    ])
  })

  test('over midnight is two entries that make one night', async () => {
    const night: readonly ScheduleEntry[] = [
      { ...weekly, startTime: '22:00', endTime: '24:00' },
      { type: 'WEEKLY', weekday: 'TUESDAY', startTime: '00:00', endTime: '06:00' },
    ]
    expect(await hoursOf('UTC', night, '2026-06-01T00:00Z', '2026-06-03T00:00Z')).toEqual([
      '2026-06-01T22:00Z 2026-06-02T06:00Z',
    ])
  })

  test('uses the merchant’s time zone if the staff member has none', async () => {
    const staffId = await createStaffMember(shop, merchant, { schedule: [weekly] })
    await shop.database`
      UPDATE merchant.settings SET timezone = 'Asia/Tokyo' WHERE merchant_id = ${merchant.merchantId}`
    expect(await workingHours(shop, merchant, staffId, { from: monday[0], to: monday[1] })).toEqual([
      { from: '2026-06-01T00:00Z', to: '2026-06-01T08:00Z' },
    ])
  })

  test.each(['+01:00', 'Middle/Earth', 'UTC; DROP TABLE x', ''])(
    'rejects the time zone %j',
    async (timeZone) => {
      await expect(createStaffMember(shop, merchant, { timeZone })).rejects.toThrow(
        'staff_member_time_zone_check',
      )
    },
  )
})
