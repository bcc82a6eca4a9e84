import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { columnPage } from '../admin/src/bookings/column-page.ts'
import {
  clock,
  draggedTo,
  hoursOf,
  lanesOf,
  minutesOf,
  spanOfDay,
  step,
} from '../admin/src/bookings/day-grid.ts'
import {
  entryChanges,
  entryDraftOf,
  entryInput,
  exceptionsFrom,
  hoursOn,
  newEntry,
  type ScheduleEntry,
} from '../admin/src/bookings/schedule-entry.ts'
import {
  type LoadedService,
  newService,
  serviceChanges,
  serviceDraftOf,
  serviceInput,
} from '../admin/src/bookings/service-draft.ts'
import { addDays, startOfDay, startOfWeek } from '../admin/src/format/shop-days.ts'
import { instantOf, timeOfDay } from '../admin/src/format/shop-times.ts'
import { firstWeekdayOf } from '../admin/src/language/first-weekday.ts'

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

describe('a week', () => {
  afterEach(() => {
    vi.unstubAllGlobals()
  })

  test('has seven days, and begins on the day that is said', () => {
    for (let days = 0; days < 7; days += 1) {
      expect(startOfWeek(addDays('2026-12-28', days), 1)).toBe('2026-12-28')
      expect(startOfWeek(addDays('2026-12-27', days), 7)).toBe('2026-12-27')
    }
    expect(startOfWeek('2026-12-27', 1)).toBe('2026-12-21')
    expect(startOfWeek('2026-12-26', 7)).toBe('2026-12-20')
  })

  test('begins as it does in the region, and on Monday where the browser does not know', () => {
    expect(['de-DE', 'en-GB', 'en-US', 'ar-EG'].map(firstWeekdayOf)).toEqual([1, 1, 7, 6])
    vi.stubGlobal('Intl', { Locale: Object })
    expect(firstWeekdayOf('en-US')).toBe(1)
  })
})

describe('columns', () => {
  const all = Array.from({ length: 230 }, (_, index) => index)

  test('are shown by the hundred, and each of them on one page', () => {
    const pages = ['', '2', '3'].map((page) => columnPage(all, page))
    expect(pages.flatMap(({ columns }) => columns)).toEqual(all)
    expect(pages.map(({ from, to, hasNext }) => [from, to, hasNext])).toEqual([
      [1, 100, true],
      [101, 200, true],
      [201, 230, false],
    ])
  })

  test.each([
    ['9', 3],
    ['-1', 1],
    ['none', 1],
  ])('are those of the nearest page if the address says %s', (said, page) => {
    expect(columnPage(all, said).page).toBe(page)
  })

  test('of an empty day are on one page', () => {
    expect(columnPage([], '')).toMatchObject({ columns: [], page: 1, hasNext: false })
  })
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

describe('an entry of a schedule', () => {
  const morning: ScheduleEntry = {
    id: 'morning',
    type: 'WEEKLY',
    weekday: 'MONDAY',
    startDate: null,
    endDate: null,
    startTime: '08:00',
    endTime: '12:00',
  }
  const evening: ScheduleEntry = { ...morning, id: 'evening', startTime: '20:00', endTime: '24:00' }
  const day: ScheduleEntry = { ...morning, startTime: '00:00', endTime: '24:00' }
  const off: ScheduleEntry = { ...day, id: 'off', type: 'TIME_OFF', weekday: null, startDate: '2026-12-24' }

  test.each([morning, evening, day, off])('is sent as it was loaded: $id $startTime', (entry) => {
    const { id: _, weekday, ...rest } = entry
    expect(entryInput(entryDraftOf(entry), 'someone')).toEqual({
      ...rest,
      staffId: 'someone',
      ...(weekday !== null && { weekday }),
    })
    expect(entryChanges(entryDraftOf(entry), entryDraftOf(entry))).toEqual({})
  })

  test('changes what was changed alone, and ends at midnight as 24:00', () => {
    const draft = entryDraftOf(morning)
    expect(entryChanges({ ...draft, endTime: '00:00' }, draft)).toEqual({ endTime: '24:00' })
    expect(entryChanges({ ...draft, wholeDay: true }, draft)).toEqual({
      startTime: '00:00',
      endTime: '24:00',
    })
    expect(entryChanges({ ...draft, startDate: '2026-12-01' }, draft)).toEqual({ startDate: '2026-12-01' })
    const dated = { ...draft, startDate: '2026-12-01' }
    expect(entryChanges({ ...dated, startDate: '' }, dated)).toEqual({ startDate: null })
  })

  test('has no day of the week if it is time off, which is the whole day at first', () => {
    expect(entryInput({ ...newEntry('TIME_OFF'), startDate: '2026-12-24' }, 'someone')).toEqual({
      staffId: 'someone',
      type: 'TIME_OFF',
      startDate: '2026-12-24',
      endDate: null,
      startTime: '00:00',
      endTime: '24:00',
    })
  })

  test('is listed by its time, and left out when it is over', () => {
    const long: ScheduleEntry = { ...off, id: 'long', startDate: '2026-12-20', endDate: '2027-01-02' }
    const all = [evening, off, morning, long]
    expect(hoursOn(all, 'MONDAY')).toEqual([morning, evening])
    expect(hoursOn(all, 'TUESDAY')).toEqual([])
    expect(exceptionsFrom(all, '2026-12-24')).toEqual([long, off])
    expect(exceptionsFrom(all, '2026-12-25')).toEqual([long])
  })
})

describe('a service', () => {
  const deposit: LoadedService = {
    id: 'service',
    name: 'Fitting',
    description: null,
    duration: 45,
    price: 1_990,
    currency: 'USD',
    active: true,
    paymentPolicy: 'DEPOSIT',
    depositAmount: 500,
    depositPercent: null,
    noShowFee: null,
    cancellationMinutes: 60,
    resources: [{ kind: 'room', quantity: 2 }],
  }
  const draft = serviceDraftOf(deposit, 100)

  test.each([
    deposit,
    { ...deposit, depositAmount: null, depositPercent: 20 },
    { ...deposit, paymentPolicy: 'FULL', depositAmount: null, noShowFee: 0 },
    { ...deposit, paymentPolicy: 'NONE', depositAmount: null, resources: [], description: 'Two rooms' },
  ] satisfies LoadedService[])('is sent as it was loaded: $paymentPolicy $depositPercent', (service) => {
    const { id: _, active: __, ...fields } = service
    expect(serviceInput(serviceDraftOf(service, 100), 'USD', 100)).toEqual(fields)
  })

  test('changes what was changed alone, and the terms of payment together', () => {
    expect(serviceChanges({ price: 20.5 }, { ...draft, price: 20.5 }, 100)).toEqual({ price: 2_050 })
    expect(serviceChanges({ noShowFee: NaN }, draft, 100)).toEqual({ noShowFee: null })
    expect(serviceChanges({ resources: { room: 0, bench: 1 } }, draft, 100)).toEqual({
      resources: [{ kind: 'bench', quantity: 1 }],
    })
    const all = { ...draft, beforehand: 'all' } as const
    expect(serviceChanges({ beforehand: 'all' }, all, 100)).toEqual({
      paymentPolicy: 'FULL',
      depositAmount: null,
      depositPercent: null,
    })
  })

  test('is free of charge and needs nothing at first', () => {
    expect(serviceInput({ ...newService, name: 'Advice' }, 'JPY', 1)).toMatchObject({
      price: 0,
      paymentPolicy: 'NONE',
      noShowFee: null,
      resources: [],
    })
  })
})
