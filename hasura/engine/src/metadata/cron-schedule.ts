import { CronExpressionParser } from 'cron-parser'

/** Hasura's syntax: five fields of numbers, or a name. The library accepts more, which Hasura would refuse. */
const fields = /^[\d*,/-]+(\s+[\d*,/-]+){4}$/
const names: ReadonlySet<string> = new Set(['@yearly', '@monthly', '@weekly', '@daily', '@hourly'])

export function isCronSchedule(schedule: string): boolean {
  if (!fields.test(schedule) && !names.has(schedule)) return false
  try {
    CronExpressionParser.parse(schedule, { tz: 'UTC' })
    return true
  } catch {
    return false
  }
}

/** The next `count` times after a moment, in UTC. Fewer or none when the schedule names days that don't exist. */
export function nextTimes(schedule: string, after: Date, count: number): readonly Date[] {
  try {
    const expression = CronExpressionParser.parse(schedule, { tz: 'UTC', currentDate: after })
    return expression.take(count).map((date) => date.toDate())
  } catch {
    return []
  }
}
