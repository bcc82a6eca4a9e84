/** Whether there is a time zone of this name, as Postgres and Node know them. */
export function isTimeZone(name: string): boolean {
  // Node takes offsets for names; Postgres reads them the other way round, as POSIX does.
  if (!/^[a-z]/i.test(name)) return false
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
