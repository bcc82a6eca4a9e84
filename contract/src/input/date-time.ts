/** Postgres takes an offset of less than 16 hours. */
const dateTimePattern =
  /^\d{4}-\d{2}-\d{2}T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-](0\d|1[0-5]):[0-5]\d)$/i

/** Whether a text is an ISO 8601 timestamp with time zone that Postgres reads. */
export const isDateTime = (text: string): boolean =>
  dateTimePattern.test(text) && isCalendarDate(text.slice(0, 10))

/** Whether a `YYYY-MM-DD` names a day that exists: Postgres refuses 30 February, Date.parse turns it into 2 March. */
export function isCalendarDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || text.startsWith('0000')) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
