/** Columns of a day that are shown at once. More can't be looked through, and take long to draw. */
const pageSize = 100

export interface ColumnPage<Column> {
  readonly columns: readonly Column[]
  /** The place of the first and of the last one among all, from 1. */
  readonly from: number
  readonly to: number
  readonly count: number
  /** From 1. */
  readonly page: number
  readonly hasNext: boolean
}

/** A part of the columns. @param said the number of the part as the address has it; the nearest one that there is counts */
export function columnPage<Column>(all: readonly Column[], said: string): ColumnPage<Column> {
  const last = Math.max(1, Math.ceil(all.length / pageSize))
  const page = Math.min(Math.max(Math.trunc(Number(said)) || 1, 1), last)
  const start = (page - 1) * pageSize
  const columns = all.slice(start, start + pageSize)
  return {
    columns,
    from: start + 1,
    to: start + columns.length,
    count: all.length,
    page,
    hasNext: page < last,
  }
}
