/**
 * The texts that Postgres writes for a `timestamptz` in a session in UTC, and those that JavaScript writes: the
 * fraction has no more digits than needed.
 */
const utc = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,6}))?(?:\+00:00|Z)$/

/**
 * A timestamp in the one form that the contract has: UTC, milliseconds, `2026-01-31T09:30:00.000Z`. So timestamps compare as
 * texts, and every parser reads them. Cursors are made of what the database said, to the microsecond. What is no timestamp
 * (null, or `infinity`) stays as it is.
 */
export function dateTime(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const [, seconds, fraction = ''] = utc.exec(value) ?? []
  if (seconds !== undefined) return `${seconds}.${fraction.slice(0, 3).padEnd(3, '0')}Z`
  const time = new Date(value)
  return Number.isNaN(time.getTime()) ? value : time.toISOString()
}
