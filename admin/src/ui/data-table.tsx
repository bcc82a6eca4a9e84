import { type ColumnDef, tableFeatures, useTable } from '@tanstack/react-table'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import {
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
} from 'react'
import { useText } from '../language/language.tsx'
import { useNarrow } from './use-narrow.ts'

/** How a column is laid out. */
interface ColumnLayout {
  /** Of CSS grid, e.g. `minmax(8rem, 2fr)`. */
  readonly width: string
  readonly end?: boolean
  /** On a phone a row has two lines: a and b above, c and d below, and a box before both. A column without a place is left out there. */
  readonly phone?: 'a' | 'b' | 'c' | 'd' | 'box'
}

export interface Column<Row> extends ColumnLayout {
  readonly id: string
  readonly title: string
  readonly cell: (row: Row) => ReactNode
}

export interface DataTableProps<Row> {
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
  readonly totalCount: number
  readonly hasMore: boolean
  readonly loadMore: () => void
  readonly loading: boolean
}

const features = tableFeatures({})

/** Pixels. */
const rowHeight = { wide: 60, narrow: 84 }
/** Rows before the end at which the next page is asked for. */
const ahead = 15

/**
 * A list of any length: only the rows that can be seen are in the document, and further pages are asked for while one scrolls. The
 * first link of a row stands for the row. Up, Down, Home and End move among them.
 */
export function DataTable<Row extends object>({
  label,
  columns,
  rows,
  rowKey,
  totalCount,
  hasMore,
  loadMore,
  loading,
}: DataTableProps<Row>): ReactNode {
  const t = useText()
  const narrow = useNarrow()
  const body = useRef<HTMLDivElement>(null)
  const [offset, setOffset] = useState(0)
  useLayoutEffect(() => setOffset(body.current?.offsetTop ?? 0), [rows.length])
  const definitions = useMemo(
    () =>
      columns.map(({ id, title, cell }): ColumnDef<typeof features, Row> => ({
        id,
        header: title,
        cell: ({ row }) => cell(row.original),
      })),
    [columns],
  )
  const data = useMemo(() => [...rows], [rows])
  const table = useTable({ features, columns: definitions, data, getRowId: rowKey })
  const modelRows = table.getRowModel().rows
  const virtual = useWindowVirtualizer({
    count: modelRows.length,
    estimateSize: () => (narrow ? rowHeight.narrow : rowHeight.wide),
    overscan: 12,
    scrollMargin: offset,
  })
  useEffect(() => virtual.measure(), [narrow, virtual])
  const items = virtual.getVirtualItems()
  const lastShown = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (hasMore && !loading && lastShown >= modelRows.length - ahead) loadMore()
  }, [hasMore, loading, lastShown, modelRows.length, loadMore])

  const style = { '--columns': columns.map(({ width }) => width).join(' ') } as React.CSSProperties
  const at = new Map(columns.map((column) => [column.id, column]))
  return (
    <>
      <div className="table" role="table" aria-label={label} aria-rowcount={totalCount + 1} style={style}>
        <div role="rowgroup">
          <div role="row" aria-rowindex={1} className="row header">
            {columns.map(({ id, title, end }) => (
              <span key={id} role="columnheader" className={end ? 'end' : undefined}>
                {title}
              </span>
            ))}
          </div>
        </div>
        <div
          role="rowgroup"
          className="rows"
          ref={body}
          style={{ height: virtual.getTotalSize() }}
          onKeyDown={(event) => moveAmongRows(event, modelRows.length, virtual.scrollToIndex)}
        >
          {items.map(({ index, start, size }) => {
            const row = modelRows[index]
            if (row === undefined) return null
            return (
              <div
                key={row.id}
                role="row"
                aria-rowindex={index + 2}
                data-index={index}
                className="row line"
                style={{ height: size, transform: `translateY(${start - offset}px)` }}
              >
                {row.getAllCells().map((cell) => (
                  <div
                    key={cell.id}
                    role="cell"
                    className={at.get(cell.column.id)?.end ? 'end' : undefined}
                    data-phone={at.get(cell.column.id)?.phone}
                  >
                    <table.FlexRender cell={cell} />
                  </div>
                ))}
              </div>
            )
          })}
        </div>
      </div>
      <div className="end-of-list" role="status">
        {loading ? t('loading') : hasMore ? '' : t('rowsInAll', { count: totalCount })}
      </div>
    </>
  )
}

function moveAmongRows(
  event: KeyboardEvent<HTMLDivElement>,
  count: number,
  scrollTo: (index: number) => void,
): void {
  const from = Number((event.target as HTMLElement).closest('[data-index]')?.getAttribute('data-index'))
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: from + 1,
    ArrowUp: from - 1,
    Home: 0,
    End: count - 1,
  }
  const target = targets[event.key]
  if (target === undefined || target < 0 || target >= count) return
  event.preventDefault()
  scrollTo(target)
  const list = event.currentTarget
  // The row may have to be made first.
  let frames = 10
  const focus = () => {
    const link = list.querySelector<HTMLElement>(
      `[data-index="${target}"] a, [data-index="${target}"] button`,
    )
    if (link !== null) link.focus({ preventScroll: true })
    else if ((frames -= 1) > 0) requestAnimationFrame(focus)
  }
  focus()
}
