import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  clock,
  draggedTo,
  hoursOf,
  lanesOf,
  minutesOf,
  spanOfDay,
  step,
} from '../admin/src/bookings/day-grid.ts'
import { addDays, mondayOf, startOfDay } from '../admin/src/format/shop-days.ts'
import { instantOf, timeOfDay } from '../admin/src/format/shop-times.ts'

const span = fc
  .tuple(fc.integer({ min: 0, max: 1300 }), fc.integer({ min: 10, max: 140 }))
  .map(([from, length]) => ({ from, to: from + length }))

describe('the grid of a day', () => {
  test('has appointments that overlap side by side, and no more lanes than meet at one moment', () => {
    fc.assert(
      fc.property(fc.array(span, { maxLength: 30 }), (spans) => {
        const lanes = lanesOf(spans)
        for (const [index, one] of spans.entries())
          for (const [other, another] of spans.entries()) {
            if (other <= index || one.to <= another.from || another.to <= one.from) continue
            expect(lanes[index]?.lane).not.toBe(lanes[other]?.lane)
            expect(lanes[index]?.lanes).toBe(lanes[other]?.lanes)
          }
        const most = Math.max(
          0,
          ...spans.map(({ from }) => spans.filter((each) => each.from <= from && from < each.to).length),
        )
        for (const { lane, lanes: count } of lanes) {
          expect(lane).toBeLessThan(count)
          expect(count).toBeLessThanOrEqual(most)
        }
      }),
    )
  })

  test('ends an appointment over midnight at midnight, and has none too low to read', () => {
    expect(spanOfDay('09:30', 45)).toEqual({ from: 570, to: 615 })
    expect(spanOfDay('23:00', 60)).toEqual({ from: 1_380, to: 1_440 })
    expect(spanOfDay('23:00', 90)).toEqual({ from: 1_380, to: 1_440 })
    expect(spanOfDay('09:30', 5)).toEqual({ from: 570, to: 580 })
  })

  test('moves what is dragged by whole steps, within its hours', () => {
    fc.assert(
      fc.property(span, fc.integer({ min: -2000, max: 2000 }), (one, minutes) => {
        const hours = hoursOf([one])
        const from = draggedTo(one, minutes, hours)
        expect(from).toBeGreaterThanOrEqual(hours.first)
        expect(from + one.to - one.from).toBeLessThanOrEqual(hours.last)
        const atAnEnd = from === hours.first || from === hours.last - (one.to - one.from)
        expect(atAnEnd || (from - one.from) % step === 0).toBe(true)
      }),
    )
  })
})

test('a week begins on the Monday on or before each of its days', () => {
  for (let days = 0; days < 7; days += 1) expect(mondayOf(addDays('2026-12-28', days))).toBe('2026-12-28')
  expect(mondayOf('2026-12-27')).toBe('2026-12-21')
})

describe('a time of day in the shop’s zone', () => {
  test.each(['UTC', 'Europe/Berlin', 'America/Los_Angeles', 'Asia/Kathmandu', 'Pacific/Auckland'])(
    'is read as it is shown: %s',
    (zone) => {
      for (const day of ['2026-01-15', '2026-03-30', '2026-07-01', '2026-10-26'])
        for (const time of ['00:00', '09:30', '17:45', '23:59']) {
          const at = instantOf(`${day}T${time}`, zone) ?? ''
          expect(timeOfDay(at, zone)).toBe(time)
          expect(clock(minutesOf(time))).toBe(time)
        }
      expect(instantOf('2026-01-15T00:00', zone)).toBe(startOfDay('2026-01-15', zone).toISOString())
      expect(instantOf('2026-01-15Tnoon', zone)).toBeNull()
    },
  )
})
