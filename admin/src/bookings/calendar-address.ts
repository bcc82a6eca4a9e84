export type CalendarView = 'day' | 'week'

interface Shown {
  readonly day: string
  /** The id of a person or a resource whose week is shown; all are when nothing is said. */
  readonly of?: string
}

/** Where the calendar shows a day, or the week of that day. */
export function calendarAddress(view: CalendarView, { day, of }: Shown): string {
  const query = new URLSearchParams({ day, ...(of !== undefined && { of }) })
  return `${view === 'week' ? '/bookings/week' : '/bookings'}?${query.toString()}`
}
