import type { ReactNode } from 'react'
import type { Document } from '../api/api.ts'
import { useText } from '../language/language.tsx'
import { useMay } from '../shell/shop.ts'
import { Page } from '../ui/page.tsx'
import { Empty, Failed, Loading } from '../ui/states.tsx'
import { StatusBadge } from '../ui/status-badge.tsx'
import { BookableActions } from './bookable-actions.tsx'
import { bookableStatus } from './bookable-status.ts'

interface Bookable {
  readonly id: string
  readonly name: string
  readonly active: boolean
}

interface Props<Row, Updated, Deleted> {
  /** What it is, until its name has come. */
  readonly kind: string
  readonly list: { readonly href: string; readonly text: string }
  /** null: there is none with this id; undefined: not known yet. */
  readonly row: Row | null | undefined
  readonly error: Error | null
  readonly retry: () => void
  /** Said if there is none. */
  readonly missing: string
  readonly update: Document<Updated, { id: string; input: { active: boolean } }>
  readonly deletion: Document<Deleted, { id: string }>
  readonly narrow?: boolean
  readonly children: (row: Row) => ReactNode
}

/** The page of a service, a person or a resource, and what is shown in its place until it is there, or if it isn't. */
export function BookablePage<Row extends Bookable, Updated, Deleted>({
  kind,
  list,
  row,
  error,
  retry,
  missing,
  update,
  deletion,
  narrow = false,
  children,
}: Props<Row, Updated, Deleted>): ReactNode {
  const t = useText()
  const mayWrite = useMay('booking:write')
  if (row == null)
    return (
      <Page title={kind} back={list}>
        <div className="card">
          {error ? (
            <Failed error={error} retry={retry} />
          ) : row === null ? (
            <Empty icon="search" title={missing} text={t('noSuchOrderText')} />
          ) : (
            <Loading lines={8} />
          )}
        </div>
      </Page>
    )
  const { id, name, active } = row
  return (
    <Page
      title={name}
      back={list}
      badges={<StatusBadge status={bookableStatus(active)} />}
      actions={
        mayWrite && (
          <BookableActions
            id={id}
            name={name}
            active={active}
            update={update}
            deletion={deletion}
            list={list.href}
          />
        )
      }
      narrow={narrow}
    >
      {children(row)}
    </Page>
  )
}
