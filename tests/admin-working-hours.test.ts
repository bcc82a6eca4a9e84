import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { clock, gapsBetween } from '../admin/src/bookings/day-grid.ts'
import type { ScheduleEntry } from '../admin/src/bookings/schedule-entry.ts'
import { workedHoursOf } from '../admin/src/bookings/working-hours.ts'

const weekly: ScheduleEntry = {
  id: 'weekly',
  type: 'WEEKLY',
  weekday: 'MONDAY',
  startDate: null,
  endDate: null,
  startTime: '09:00',
  endTime: '17:00',
}
const once = (type: 'TIME_OFF' | 'EXTRA_HOURS', startTime: string, endTime: string): ScheduleEntry => ({
  ...weekly,
  type,
  weekday: null,
  startDate: monday,
  startTime,
  endTime,
})

const monday = '2026-11-30'
const tuesday = '2026-12-01'

interface Asked {
  readonly day?: string
  /** Of the shop. */
  readonly zone?: string
  /** Of the person. */
  readonly own?: string | null
}

const worked = (
  schedule: readonly ScheduleEntry[],
  { day = monday, zone = 'America/Los_Angeles', own = null }: Asked = {},
) =>
  workedHoursOf({ timeZone: own, schedule }, day, zone).map(({ from, to }) => `${clock(from)}–${clock(to)}`)

describe('the hours in which a person works', () => {
  test('are the weekly ones of that day', () => {
    expect(worked([weekly])).toEqual(['09:00–17:00'])
    expect(worked([weekly], { day: tuesday })).toEqual([])
    expect(worked([])).toEqual([])
  })

  test('hold from their first day to their last one', () => {
    const from = (startDate: string | null, endDate: string | null) =>
      worked([{ ...weekly, startDate, endDate }])
    expect(from(monday, monday)).toEqual(['09:00–17:00'])
    expect(from(tuesday, null)).toEqual([])
    expect(from(null, '2026-11-29')).toEqual([])
  })

  test('end with time off, which is one day if no last one is said', () => {
    expect(worked([weekly, once('TIME_OFF', '12:00', '13:00')])).toEqual(['09:00–12:00', '13:00–17:00'])
    expect(worked([weekly, once('TIME_OFF', '00:00', '24:00')])).toEqual([])
    const daily = { ...weekly, weekday: null }
    const long = { ...once('TIME_OFF', '00:00', '24:00'), endDate: tuesday }
    expect(worked([daily, once('TIME_OFF', '00:00', '24:00')], { day: tuesday })).toEqual(['09:00–17:00'])
    expect(worked([daily, long], { day: tuesday })).toEqual([])
  })

  test('have extra hours whatever else is said, and are one where they meet', () => {
    const extra = once('EXTRA_HOURS', '16:00', '19:00')
    expect(worked([weekly, extra])).toEqual(['09:00–19:00'])
    expect(worked([weekly, once('TIME_OFF', '00:00', '24:00'), extra])).toEqual(['16:00–19:00'])
    expect(worked([{ ...weekly, endTime: '16:00' }, extra])).toEqual(['09:00–19:00'])
  })

  test('are shown on the shop’s clocks, also where the person’s day is another one', () => {
    expect(worked([weekly], { own: 'America/Denver' })).toEqual(['08:00–16:00'])
    const night = { ...weekly, startTime: '20:00', endTime: '24:00' }
    expect(worked([night])).toEqual(['20:00–24:00'])
    expect(worked([night], { zone: 'Pacific/Auckland', own: 'America/Los_Angeles' })).toEqual([])
    expect(worked([night], { zone: 'Pacific/Auckland', own: 'America/Los_Angeles', day: tuesday })).toEqual([
      '17:00–21:00',
    ])
  })

  test('and the others are the whole of the grid, and none is both', () => {
    const hours = { first: 0, last: 1_440 }
    const times = fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 24 }))
      .filter(([from, to]) => from < to)
    fc.assert(
      fc.property(fc.array(times, { maxLength: 6 }), (drawn) => {
        const schedule = drawn.map(([from, to]) => ({
          ...weekly,
          startTime: clock(from * 60),
          endTime: clock(to * 60),
        }))
        const spans = workedHoursOf({ timeZone: null, schedule }, monday, 'UTC')
        const all = [...spans, ...gapsBetween(spans, hours)].sort((a, b) => a.from - b.from)
        expect(all.map(({ from }) => from)).toEqual([0, ...all.slice(0, -1).map(({ to }) => to)])
        expect(all.at(-1)?.to).toBe(1_440)
        for (let minute = 30; minute < 1_440; minute += 60)
          expect(spans.some(({ from, to }) => from < minute && minute < to)).toBe(
            drawn.some(([from, to]) => from * 60 < minute && minute < to * 60),
          )
      }),
    )
  })
})
