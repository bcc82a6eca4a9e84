/** A month, `2026-11`. */
export function addMonths(month: string, count: number): string {
  const date = new Date(`${month}-01T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + count)
  return date.toISOString().slice(0, 7)
}

export function daysIn(month: string): number {
  const date = new Date(`${addMonths(month, 1)}-01T00:00:00Z`)
  date.setUTCDate(0)
  return date.getUTCDate()
}

/** The days of the month on which something is, from its first day to its last (`2026-11-25`); null if on none. */
export function daysOfMonth(
  month: string,
  first: string,
  last: string,
): { readonly from: number; readonly to: number } | null {
  const count = daysIn(month)
  const end = `${month}-${String(count)}`
  if (last < `${month}-01` || first > end || last < first) return null
  return {
    from: first < `${month}-01` ? 1 : Number(first.slice(8)),
    to: last > end ? count : Number(last.slice(8)),
  }
}
