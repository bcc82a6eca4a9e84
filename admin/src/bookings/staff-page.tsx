import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { StaffListDocument, type StaffListQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import type { Column } from '../ui/data-table.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import { Empty } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { usePages } from '../ui/use-pages.ts'
import { bookableStatus } from './bookable-status.ts'
import { BookingTabs } from './booking-tabs.tsx'

type Row = StaffListQuery['staffMembers']['nodes'][number]

const connection = ({ staffMembers }: StaffListQuery) => staffMembers
const keyOf = ({ id }: Row) => id

/** Those who perform services. */
export default function StaffPage(): ReactNode {
  const t = useText()
  const mayWrite = useMay('booking:write')
  const pages = usePages({ subject: 'bookings', document: StaffListDocument, variables: {}, connection })
  const columns = useMemo(
    (): readonly Column<Row>[] => [
      {
        id: 'name',
        title: t('name'),
        width: 'minmax(12rem, 1.2fr)',
        phone: 'a',
        cell: ({ id, name, email }) => (
          <span className="two">
            <Link href={`/bookings/staff/${id}`} className="cover">
              {name}
            </Link>
            <span className="small muted">{email}</span>
          </span>
        ),
      },
      {
        id: 'services',
        title: t('offeredServices'),
        width: 'minmax(12rem, 2fr)',
        phone: 'c',
        cell: ({ services }) =>
          services.length === 0 ? t('offersNothing') : services.map(({ name }) => name).join(', '),
      },
      {
        id: 'status',
        title: t('status'),
        width: 'minmax(7rem, 0.7fr)',
        phone: 'b',
        cell: ({ active }) => <StatusBadge status={bookableStatus(active)} />,
      },
    ],
    [t],
  )
  return (
    <Page
      title={t('bookingStaff')}
      actions={
        mayWrite && (
          <Link href="/bookings/staff/new" className="button primary">
            <Icon name="plus" size={16} /> {t('newStaffMember')}
          </Link>
        )
      }
    >
      <BookingTabs at="staff" />
      <ListCard
        label={t('bookingStaff')}
        columns={columns}
        pages={pages}
        rowKey={keyOf}
        empty={<Empty icon="users" title={t('noStaff')} text={t('noStaffText')} />}
      />
    </Page>
  )
}
