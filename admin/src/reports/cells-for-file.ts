import { dayIn } from '../format/shop-days.ts'
import { localMinute } from '../format/shop-times.ts'
import type { ReportInterval } from '../generated/operations.ts'
import type { Pivot, PivotColumn, PivotLine } from './pivot.ts'

interface FileParts {
  /** Of the columns, in their order. */
  readonly titles: readonly string[]
  readonly compares: boolean
  /** What stands where a line has no group; null: the report has no groups. */
  readonly noGroup: string | null
  /** What lines begin with: a day, or an hour. */
  readonly interval: ReportInterval | null
  /** The shop's. */
  readonly timeZone: string
  /** How many of the smallest unit make one of the currency. */
  readonly unitsOf: (currency: string) => number
}

/** The table for a file: amounts in the currency's own unit, times on the shop's clocks. */
export function cellsForFile(
  { columns, lines }: Pivot,
  { titles, compares, noGroup, interval, timeZone, unitsOf }: FileParts,
): (string | number | null)[][] {
  const inUnits = (value: number | null, { currency }: PivotColumn) =>
    value === null || currency === null ? value : value / unitsOf(currency)
  const onClocks = (startTime: string) =>
    interval === 'HOUR'
      ? localMinute(startTime, timeZone).replace('T', ' ')
      : dayIn(timeZone, new Date(startTime))
  const head = ({ startTime, group }: PivotLine) => [
    ...(startTime === null ? [] : [onClocks(startTime)]),
    ...(noGroup === null ? [] : [group ?? noGroup]),
  ]
  return [
    [...titles],
    ...lines.map((line) => [
      ...head(line),
      ...columns.flatMap((column, place) => {
        const { value = null, before = null } = line.cells[place] ?? {}
        return compares ? [inUnits(value, column), inUnits(before, column)] : [inUnits(value, column)]
      }),
    ]),
  ]
}
