import { type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import {
  ResourceListDocument,
  type ResourceListQuery,
  type ResourcePartsFragment,
} from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Empty } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { usePages } from '../ui/use-pages.ts'
import { BookableList } from './bookable-list.tsx'
import { bookableStatus } from './bookable-status.ts'

const connection = ({ resources }: ResourceListQuery) => resources

/** Rooms, chairs and equipment. */
export default function ResourcesPage(): ReactNode {
  const t = useText()
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
    <BookableList
      at="resources"
      title={t('bookingResources')}
      newText={t('newResource')}
      columns={columns}
      pages={pages}
      empty={<Empty icon="warehouse" title={t('noResources')} text={t('noResourcesText')} />}
    />
  )
}
