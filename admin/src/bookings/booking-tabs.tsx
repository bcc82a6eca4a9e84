import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useText } from '../language/language.tsx'
import { calendarAddress } from './calendar-address.ts'
import { useShownDay } from './use-shown-day.ts'

const names = {
  day: 'dayView',
  week: 'weekView',
  services: 'bookingServices',
  staff: 'bookingStaff',
  resources: 'bookingResources',
} as const

type TabId = keyof typeof names
const tabs = ['day', 'week', 'services', 'staff', 'resources'] as const satisfies readonly TabId[]

/** The views of the calendar, and what can be booked. The week is that of the day, and the day is the one that was shown before. */
export function BookingTabs({ at }: { readonly at: TabId }): ReactNode {
  const t = useText()
  const { day } = useShownDay()
  return (
    <nav className="tabs" aria-label={t('bookings')}>
      {tabs.map((tab) => (
        <Link
          key={tab}
          href={tab === 'day' || tab === 'week' ? calendarAddress(tab, { day }) : `/bookings/${tab}`}
          className="tab"
          aria-current={tab === at ? 'page' : undefined}
        >
          {t(names[tab])}
        </Link>
      ))}
    </nav>
  )
}
