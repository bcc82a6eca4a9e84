import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { useMay } from '../shell/shop.ts'
import type { Column } from '../ui/data-table.tsx'
import { Icon } from '../ui/icon.tsx'
import { ListCard } from '../ui/list-card.tsx'
import { Page } from '../ui/page.tsx'
import type { Pages } from '../ui/use-pages.ts'
import { BookingTabs } from './booking-tabs.tsx'

interface Props<Row extends object> {
  readonly at: 'services' | 'staff' | 'resources'
  readonly title: string
  /** What the link to a new one says. */
  readonly newText: string
  readonly columns: readonly Column<Row>[]
  readonly pages: Pages<Row>
  readonly empty: ReactNode
}

const keyOf = ({ id }: { readonly id: string }): string => id

/** The list of the services, the people or the resources. */
export function BookableList<Row extends { readonly id: string }>({
  at,
  title,
  newText,
  columns,
  pages,
  empty,
}: Props<Row>): ReactNode {
  const mayWrite = useMay('booking:write')
  return (
    <Page
      title={title}
      actions={
        mayWrite && (
          <Link href={`/bookings/${at}/new`} className="button primary">
            <Icon name="plus" size={16} /> {newText}
          </Link>
        )
      }
    >
      <BookingTabs at={at} />
      <ListCard label={title} columns={columns} pages={pages} rowKey={keyOf} empty={empty} />
    </Page>
  )
}
