import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import {
  ResourceListDocument,
  type ResourceListQuery,
  type ResourcePartsFragment,
} from '../generated/operations.ts'
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

const connection = ({ resources }: ResourceListQuery) => resources
const keyOf = ({ id }: ResourcePartsFragment) => id

/** Rooms, chairs and equipment. */
export default function ResourcesPage(): ReactNode {
  const t = useText()
  const mayWrite = useMay('booking:write')
  const pages = usePages({ subject: 'bookings', document: ResourceListDocument, variables: {}, connection })
  const columns = useMemo(
    (): readonly Column<ResourcePartsFragment>[] => [
      {
        id: 'name',
        title: t('name'),
        width: 'minmax(12rem, 1.5fr)',
        phone: 'a',
        cell: ({ id, name }) => (
          <Link href={`/bookings/resources/${id}`} className="cover">
            {name}
          </Link>
        ),
      },
      {
        id: 'kind',
        title: t('resourceKind'),
        width: 'minmax(9rem, 1.2fr)',
        phone: 'c',
        cell: ({ kind }) => kind,
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
      title={t('bookingResources')}
      actions={
        mayWrite && (
          <Link href="/bookings/resources/new" className="button primary">
            <Icon name="plus" size={16} /> {t('newResource')}
          </Link>
        )
      }
    >
      <BookingTabs at="resources" />
      <ListCard
        label={t('bookingResources')}
        columns={columns}
        pages={pages}
        rowKey={keyOf}
        empty={<Empty icon="warehouse" title={t('noResources')} text={t('noResourcesText')} />}
      />
    </Page>
  )
}
