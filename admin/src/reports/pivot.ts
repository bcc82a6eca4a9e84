import type { Metric, ReportPartsFragment } from '../generated/operations.ts'

export interface Cell {
  readonly value: number | null
  readonly before: number | null
}

export interface PivotColumn {
  readonly metric: Metric
  /** Null for what is counted. */
  readonly currency: string | null
}

export interface PivotLine {
  readonly key: string
  /** When the interval begins; null where the report is in one piece. */
  readonly startTime: string | null
  /** The group; null where the report has none. */
  readonly group: string | null
  /** One for each column. A report has no rows of 0. */
  readonly cells: readonly Cell[]
}

export interface Pivot {
  readonly columns: readonly PivotColumn[]
  readonly lines: readonly PivotLine[]
}

export interface Group {
  /** Two products may have one name. */
  readonly id: string
  readonly name: string
}

interface Shape {
  readonly metrics: readonly Metric[]
  readonly hasIntervals: boolean
  /** Null: the row is of no group, as what has no category. */
  readonly groupOf: (row: ReportPartsFragment) => Group | null
}

const zero: Cell = { value: 0, before: 0 }
const columnKey = ({ metric, currency }: PivotColumn): string => `${metric} ${currency ?? ''}`

/** A report's rows as a table: a line for each interval and group, a column for each metric and currency. */
export function pivot(
  rows: readonly ReportPartsFragment[],
  { metrics, hasIntervals, groupOf }: Shape,
): Pivot {
  const columns = new Map<string, PivotColumn>()
  for (const { metric, currency } of rows) columns.set(columnKey({ metric, currency }), { metric, currency })
  const ordered = [...columns.values()].sort(
    (a, b) =>
      metrics.indexOf(a.metric) - metrics.indexOf(b.metric) ||
      (a.currency ?? '').localeCompare(b.currency ?? ''),
  )
  const lines = new Map<string, { first: ReportPartsFragment; cells: Map<string, Cell> }>()
  for (const row of rows) {
    const key = `${hasIntervals ? row.startTime : ''} ${groupOf(row)?.id ?? ''}`
    const line = lines.get(key) ?? { first: row, cells: new Map<string, Cell>() }
    lines.set(key, line)
    line.cells.set(columnKey(row), sumOf(line.cells.get(columnKey(row)), row))
  }
  return {
    columns: ordered,
    lines: [...lines].map(([key, { first, cells }]) => ({
      key,
      startTime: hasIntervals ? first.startTime : null,
      group: groupOf(first)?.name ?? null,
      cells: ordered.map((column) => cells.get(columnKey(column)) ?? zero),
    })),
  }
}

/** Several rows may be of no group, such as products that are gone: they count together. */
const sumOf = (cell: Cell | undefined, { value, previousValue }: ReportPartsFragment): Cell =>
  cell === undefined
    ? { value, before: previousValue }
    : { value: (cell.value ?? 0) + (value ?? 0), before: (cell.before ?? 0) + (previousValue ?? 0) }
