/** The minute on clocks of the time zone, as a `datetime-local` field has it: `2026-11-25T10:30`. */
export function localMinute(iso: string, timeZone: string): string {
  const at = Math.floor(Date.parse(iso) / 60_000) * 60_000
  return new Date(at + offsetAt(at, timeZone)).toISOString().slice(0, 16)
}

/** When clocks of the time zone show it; null as long as it isn't a time. */
export function instantOf(local: string, timeZone: string): string | null {
  const utc = /^\d{4}-/.test(local) ? Date.parse(`${local}:00Z`) : NaN
  if (Number.isNaN(utc)) return null
  const first = utc - offsetAt(utc, timeZone)
  // Clocks may change in between.
  return new Date(utc - offsetAt(first, timeZone)).toISOString()
}

/** The time of day on clocks of the time zone: `10:30`. */
export const timeOfDay = (iso: string, timeZone: string): string => localMinute(iso, timeZone).slice(11)

/** Of time zones that were asked for: a calendar asks for hundreds of times, and making a format takes the longest. */
const clocks = new Map<string, Intl.DateTimeFormat>()

function clocksOf(timeZone: string): Intl.DateTimeFormat {
  const known = clocks.get(timeZone)
  if (known !== undefined) return known
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  clocks.set(timeZone, made)
  return made
}

/** Milliseconds that clocks in the time zone are ahead of UTC. */
function offsetAt(at: number, timeZone: string): number {
  const parts = clocksOf(timeZone).formatToParts(at)
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
