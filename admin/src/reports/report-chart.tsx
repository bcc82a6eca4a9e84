import { type ReactNode, useMemo } from 'react'
import { TimeChart } from '../ui/time-chart.tsx'
import type { Pivot } from './pivot.ts'

/** The first column of a report over its intervals, beside the time before. The table below says the same to those who can't see it. */
export function ReportChart({ pivot: { columns, lines } }: { readonly pivot: Pivot }): ReactNode {
  const points = useMemo(
    () =>
      lines.map(({ startTime, cells: [cell] }) => ({
        startTime: startTime ?? '',
        value: cell?.value ?? null,
        before: cell?.before ?? null,
      })),
    [lines],
  )
  return <TimeChart points={points} currency={columns[0]?.currency ?? null} />
}
