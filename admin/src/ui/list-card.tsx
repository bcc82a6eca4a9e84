import type { ReactNode } from 'react'
import { type Column, DataTable } from './data-table.tsx'
import { Failed, Loading } from './states.tsx'
import type { Pages } from './use-pages.ts'

interface Props<Row extends object> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly pages: Pages<Row>
  readonly rowKey: (row: Row) => string
  readonly filters?: ReactNode
  readonly empty: ReactNode
}

/** A list with what is shown in its place: while it comes, if it can't be had, and if nothing is in it. */
export const ListCard = <Row extends object>({
  label,
  columns,
  pages,
  rowKey,
  filters,
  empty,
}: Props<Row>): ReactNode => (
  <div className="card">
    {filters !== undefined && <div className="filters">{filters}</div>}
    {pages.error !== null ? (
      <Failed error={pages.error} retry={pages.retry} />
    ) : pages.pending ? (
      <Loading lines={8} />
    ) : pages.rows.length === 0 ? (
      empty
    ) : (
      <DataTable label={label} columns={columns} rowKey={rowKey} {...pages} />
    )}
  </div>
)
