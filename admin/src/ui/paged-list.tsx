import type { ReactNode } from 'react'
import { useText } from '../language/language.tsx'
import { Button } from './button.tsx'
import { Failed, Loading } from './states.tsx'
import type { Pages } from './use-pages.ts'

interface Props<Row> {
  readonly pages: Pages<Row>
  /** What is said when there are none. */
  readonly empty: string
  readonly item: (row: Row) => ReactNode
}

/** A list in a card, with what is shown in its place, and a button below it that says how many there are and shows more. */
export function PagedList<Row>({ pages, empty, item }: Props<Row>): ReactNode {
  const t = useText()
  if (pages.error !== null) return <Failed error={pages.error} retry={pages.retry} />
  if (pages.pending) return <Loading />
  if (pages.rows.length === 0) return <p className="muted">{empty}</p>
  return (
    <>
      <ul>{pages.rows.map((row) => item(row))}</ul>
      {pages.hasMore && (
        <Button onPress={pages.loadMore} isDisabled={pages.loading}>
          {t('showMore', { count: pages.rows.length, total: pages.totalCount })}
        </Button>
      )}
    </>
  )
}
