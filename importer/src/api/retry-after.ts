/**
 * Reads a Retry-After header: a number of seconds, or an HTTP date (specification, Errors, rule 1).
 *
 * @returns milliseconds from `now`, or undefined without a readable header
 */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}
