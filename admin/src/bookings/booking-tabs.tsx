import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useText } from '../language/language.tsx'
import { calendarAddress, type CalendarView } from './calendar-address.ts'
import { useShownDay } from './use-shown-day.ts'

const names = { day: 'dayView', week: 'weekView' } as const satisfies Record<CalendarView, string>

/** The views of the calendar: the week is that of the day, and the day is the one that was shown before. */
export function BookingTabs({ at }: { readonly at: CalendarView }): ReactNode {
  const t = useText()
  const { day } = useShownDay()
  return (
    <nav className="tabs" aria-label={t('bookings')}>
      {(['day', 'week'] as const).map((view) => (
        <Link
          key={view}
          href={calendarAddress(view, { day })}
          className="tab"
          aria-current={view === at ? 'page' : undefined}
        >
          {t(names[view])}
        </Link>
      ))}
    </nav>
  )
}
