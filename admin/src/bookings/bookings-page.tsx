import { type ReactNode, useState } from 'react'
import { useFormat } from '../format/format.ts'
import { addDays, startOfDay, startOfWeek } from '../format/shop-days.ts'
import { firstWeekdayOf } from '../language/first-weekday.ts'
import { useLanguage, useText } from '../language/language.tsx'
import { useMay, useShop } from '../shell/shop.ts'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { Failed, Loading } from '../ui/states.tsx'
import { BookDialog } from './book-dialog.tsx'
import { BookingTabs } from './booking-tabs.tsx'
import type { CalendarView } from './calendar-address.ts'
import { DayView } from './day-view.tsx'
import { useBookingPeople } from './use-booking-people.ts'
import { useShownDay } from './use-shown-day.ts'
import { WeekView } from './week-view.tsx'

/** The calendar of appointments: a day or a week. */
export default function BookingsPage({ view }: { readonly view: CalendarView }): ReactNode {
  const t = useText()
  const mayWrite = useMay('booking:write')
  const { day } = useShownDay()
  const [booking, setBooking] = useState(false)
  const people = useBookingPeople()
  const lead = useDaysInWords(view, day)
  return (
    <Page
      title={t('bookings')}
      lead={lead}
      actions={
        mayWrite && (
          <Button
            icon="plus"
            look="primary"
            isDisabled={people.data === undefined}
            onPress={() => setBooking(true)}
          >
            {t('newAppointment')}
          </Button>
        )
      }
    >
      <BookingTabs at={view} />
      {people.error ? (
        <Failed error={people.error} retry={() => void people.refetch()} />
      ) : people.data === undefined ? (
        <Loading lines={8} />
      ) : view === 'week' ? (
        <WeekView people={people.data} />
      ) : (
        <DayView people={people.data} />
      )}
      {booking && people.data !== undefined && (
        <BookDialog day={day} people={people.data} onClose={() => setBooking(false)} />
      )}
    </Page>
  )
}

function useDaysInWords(view: CalendarView, day: string): string {
  const { locale } = useLanguage()
  const { timeZone } = useShop()
  const format = useFormat()
  const iso = (each: string) => startOfDay(each, timeZone).toISOString()
  const firstDay = startOfWeek(day, firstWeekdayOf(locale))
  return view === 'week'
    ? `${format.day(iso(firstDay))} – ${format.date(iso(addDays(firstDay, 6)))}`
    : format.date(iso(day))
}
