import { useEffect } from 'react'
import { addDays, startOfDay } from '../format/shop-days.ts'
import { AppointmentsBetweenDocument, type AppointmentsBetweenQuery } from '../generated/operations.ts'
import { useShop } from '../shell/shop.ts'
import { type Pages, usePages } from '../ui/use-pages.ts'
import type { Appointment } from './appointment-names.ts'

/** Appointments that are shown at once. A calendar with more can't be read. */
const most = 400

interface Range {
  readonly firstDay: string
  readonly days: number
  readonly staffId?: string | undefined
  readonly resourceId?: string | undefined
}

const connection = ({ appointments }: AppointmentsBetweenQuery) => appointments

/** The appointments of some days, but for those that were called off. Their pages come one after the other by themselves. */
export function useAppointments({ firstDay, days, staffId, resourceId }: Range): Pages<Appointment> {
  const { timeZone } = useShop()
  const end = startOfDay(addDays(firstDay, days), timeZone).getTime()
  const pages = usePages({
    subject: 'bookings',
    document: AppointmentsBetweenDocument,
    variables: {
      from: startOfDay(firstDay, timeZone).toISOString(),
      // The filter has its end within. What begins at midnight is of the next day.
      to: new Date(end - 1).toISOString(),
      staffId: staffId ?? null,
      resourceId: resourceId ?? null,
    },
    connection,
  })
  const { rows, hasMore, loading, error, loadMore } = pages
  const isShort = hasMore && !loading && error === null && rows.length < most
  useEffect(() => {
    if (isShort) loadMore()
  }, [isShort, loadMore])
  return pages
}
