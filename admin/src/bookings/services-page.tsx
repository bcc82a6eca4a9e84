import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { useFormat } from '../format/format.ts'
import { BookingServiceListDocument, type BookingServiceListQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { usePages } from '../ui/use-pages.ts'
import { BookableList } from './bookable-list.tsx'
import { bookableStatus } from './bookable-status.ts'
import type { LoadedService } from './service-draft.ts'

const connection = ({ bookingServices }: BookingServiceListQuery) => bookingServices

/** What customers book. */
export default function ServicesPage(): ReactNode {
  const t = useText()
  const { money } = useFormat()
  const pages = usePages({
    subject: 'bookings',
    document: BookingServiceListDocument,
    variables: {},
    connection,
  })
  const columns = useMemo(
    (): readonly Column<LoadedService>[] => [
      {
        id: 'name',
        title: t('name'),
        width: 'minmax(12rem, 2fr)',
        phone: 'a',
        cell: ({ id, name, resources }) => (
          <span className="two">
            <Link href={`/bookings/services/${id}`} className="cover">
              {name}
            </Link>
            <span className="small muted">
              {resources
                .map(({ kind, quantity }) => (quantity === 1 ? kind : `${quantity} × ${kind}`))
                .join(', ')}
            </span>
          </span>
        ),
      },
      {
        id: 'duration',
        title: t('duration'),
        width: 'minmax(6rem, 0.7fr)',
        phone: 'c',
        cell: ({ duration }) => t('lasts', { count: duration }),
      },
      {
        id: 'status',
        title: t('status'),
        width: 'minmax(7rem, 0.7fr)',
        phone: 'b',
        cell: ({ active }) => <StatusBadge status={bookableStatus(active)} />,
      },
      {
        id: 'price',
        title: t('price'),
        width: 'minmax(6rem, 0.7fr)',
        end: true,
        phone: 'd',
        cell: ({ price, currency }) => money(price, currency),
      },
    ],
    [t, money],
  )
  return (
    <BookableList
      at="services"
      title={t('bookingServices')}
      newText={t('newBookingService')}
      columns={columns}
      pages={pages}
      empty={<Empty icon="clock" title={t('noServices')} text={t('noServicesText')} />}
    />
  )
}
