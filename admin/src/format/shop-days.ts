import { instantOf } from './shop-times.ts'

/** A day in the shop's time zone, `2026-11-25`. */
export const dayIn = (timeZone: string, at = new Date()): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at)

export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** The Monday of the day's week, as ISO 8601 has it. */
export const mondayOf = (day: string): string =>
  addDays(day, -((new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7))

/** When the day begins in the time zone. */
export const startOfDay = (day: string, timeZone: string): Date =>
  new Date(instantOf(`${day}T00:00`, timeZone) ?? Number.NaN)
