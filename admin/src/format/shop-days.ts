/** A day in the shop's time zone, `2026-11-25`. */
export const dayIn = (timeZone: string, at = new Date()): string =>
  new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' }).format(at)

export function addDays(day: string, count: number): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + count)
  return date.toISOString().slice(0, 10)
}

/** When the day begins in the time zone. */
export const startOfDay = (day: string, timeZone: string): Date =>
  timeOfDay(day, '00:00', timeZone) ?? new Date(Number.NaN)

/** Minutes that clocks in the time zone show since midnight. */
export function minutesIn(timeZone: string, iso: string): number {
  const at = Date.parse(iso)
  return Math.floor((at + offsetAt(at, timeZone)) / 60_000) % (24 * 60)
}

/** When clocks in the time zone show `09:30` that day; null of what is no time. */
export function timeOfDay(day: string, time: string, timeZone: string): Date | null {
  const utc = Date.parse(`${day}T${time}:00Z`)
  if (Number.isNaN(utc)) return null
  const first = utc - offsetAt(utc, timeZone)
  // Clocks may change in between.
  return new Date(utc - offsetAt(first, timeZone))
}

/** Milliseconds that clocks in the time zone are ahead of UTC. */
export function offsetAt(at: number, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  }).formatToParts(at)
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value)
  const local = Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
  return local - Math.floor(at / 1_000) * 1_000
}
