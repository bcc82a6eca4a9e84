import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { StaffListDocument, type StaffListQuery } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { usePages } from '../ui/use-pages.ts'
import { BookableList } from './bookable-list.tsx'
import { bookableStatus } from './bookable-status.ts'

type Row = StaffListQuery['staffMembers']['nodes'][number]

const connection = ({ staffMembers }: StaffListQuery) => staffMembers

/** Those who perform services. */
export default function StaffPage(): ReactNode {
  const t = useText()
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
    <BookableList
      at="staff"
      title={t('bookingStaff')}
      newText={t('newStaffMember')}
      columns={columns}
      pages={pages}
      empty={<Empty icon="users" title={t('noStaff')} text={t('noStaffText')} />}
    />
  )
}
