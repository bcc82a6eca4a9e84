import { expect, test } from 'vitest'
import { isCronSchedule, nextTimes } from './cron-schedule.ts'

test.each(['* * * * *', '*/5 0-6 1,15 * 1-5', '0 0 * * 7', '@hourly'])('%s is a schedule', (schedule) => {
  expect(isCronSchedule(schedule)).toBe(true)
})

test.each(['', '* * * *', '* * * * * *', '60 * * * *', '0 0 L * *', '0 0 * JAN *', '@secondly', 'never'])(
  '%j is none',
  (schedule) => {
    expect(isCronSchedule(schedule)).toBe(false)
  },
)

test('times are in UTC, and match the day of the month or of the week', () => {
  const after = new Date('2026-03-28T23:59:59Z')
  expect(nextTimes('30 2 1 * 0', after, 3).map((time) => time.toISOString())).toEqual([
    '2026-03-29T02:30:00.000Z',
    '2026-04-01T02:30:00.000Z',
    '2026-04-05T02:30:00.000Z',
  ])
  expect(nextTimes('0 0 31 2 *', after, 3)).toEqual([])
})
