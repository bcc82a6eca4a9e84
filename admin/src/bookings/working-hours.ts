import { addDays, dayIn, isoWeekday, startOfDay } from '../format/shop-days.ts'
import { instantOf, timeOfDay } from '../format/shop-times.ts'
import type { ScheduleType } from '../generated/operations.ts'
import { midnight, minutesOf, type Span } from './day-grid.ts'
import { type ScheduleEntry, weekdays } from './schedule-entry.ts'

interface Worker {
  /** Of the schedule; null: the shop's. */
  readonly timeZone: string | null
  readonly schedule: readonly ScheduleEntry[]
}

/** Milliseconds since 1970. */
interface Stated {
  readonly type: ScheduleType
  readonly from: number
  readonly to: number
}

/**
 * When a person works on a day of the shop's clocks, by the rules by which the API books: in weekly hours less time off, and in
 * extra hours in any case. Earliest first; none of them meets another.
 */
export function workedHoursOf(
  { timeZone, schedule }: Worker,
  day: string,
  shopZone: string,
): readonly Span[] {
  const zone = timeZone ?? shopZone
  const start = startOfDay(day, shopZone).getTime()
  const end = startOfDay(addDays(day, 1), shopZone).getTime()
  const stated = daysBetween(dayIn(zone, new Date(start)), dayIn(zone, new Date(end - 1))).flatMap((each) =>
    statedOn(schedule, each, zone),
  )
  const cuts = [start, ...stated.flatMap(({ from, to }) => [from, to]), end]
    .filter((at) => start <= at && at <= end)
    .sort((a, b) => a - b)
  const worked: Span[] = []
  for (const [index, from] of cuts.entries()) {
    const to = cuts[index + 1] ?? from
    if (from === to || !isWorked(stated, from)) continue
    const last = worked.at(-1)
    if (last?.to === from) worked[worked.length - 1] = { from: last.from, to }
    else worked.push({ from, to })
  }
  const minuteOf = (at: number) => minutesOf(timeOfDay(new Date(at).toISOString(), shopZone))
  return worked.map(({ from, to }) => ({ from: minuteOf(from), to: to === end ? midnight : minuteOf(to) }))
}

function isWorked(stated: readonly Stated[], at: number): boolean {
  const has = (type: ScheduleType) =>
    stated.some((each) => each.type === type && each.from <= at && at < each.to)
  return has('EXTRA_HOURS') || (has('WEEKLY') && !has('TIME_OFF'))
}

/** What the schedule says of a day on the clocks of its time zone. */
const statedOn = (schedule: readonly ScheduleEntry[], day: string, zone: string): readonly Stated[] =>
  schedule
    .filter((entry) => holdsOn(entry, day))
    .map(({ type, startTime, endTime }) => ({
      type,
      from: Date.parse(instantOf(`${day}T${startTime}`, zone) ?? ''),
      to: Date.parse(instantOf(`${day}T${endTime}`, zone) ?? ''),
    }))

function holdsOn({ type, weekday, startDate, endDate }: ScheduleEntry, day: string): boolean {
  const last = endDate ?? (type === 'WEEKLY' ? null : startDate)
  return (
    (weekday === null || weekday === weekdays[isoWeekday(day) - 1]) &&
    (startDate === null || startDate <= day) &&
    (last === null || day <= last)
  )
}

function daysBetween(first: string, last: string): readonly string[] {
  const days: string[] = []
  for (let day = first; day <= last; day = addDays(day, 1)) days.push(day)
  return days
}
