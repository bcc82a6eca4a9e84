import { instantOf } from './shop-times.ts'

/** A day in the shop's time zone, `2026-11-25`. */
export const dayIn = (timeZone: string, at = new Date()): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at)

export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** The day of the week as ISO 8601 counts it, from 1 (Monday) to 7 (Sunday). */
export const isoWeekday = (day: string): number => new Date(`${day}T00:00:00Z`).getUTCDay() || 7

/** The first day of the day's week. @param firstWeekday on which weeks begin, as ISO 8601 counts it */
export const startOfWeek = (day: string, firstWeekday: number): string =>
  addDays(day, -((isoWeekday(day) - firstWeekday + 7) % 7))

/** When the day begins in the time zone. */
export const startOfDay = (day: string, timeZone: string): Date =>
  new Date(instantOf(`${day}T00:00`, timeZone) ?? Number.NaN)
