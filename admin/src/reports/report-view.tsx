import { type ReactNode, useMemo } from 'react'
import type { Metric, ReportDimension, ReportInterval, ReportPartsFragment } from '../generated/operations.ts'
import { useText } from '../language/language.tsx'
import { orderStatuses } from '../orders/order-names.ts'
import { Empty } from '../ui/states.tsx'
import { dimensions } from './metrics.ts'
import { type Pivot, pivot } from './pivot.ts'
import { ReportChart } from './report-chart.tsx'
import { ReportTable } from './report-table.tsx'

export interface ReportShape {
  readonly metrics: readonly Metric[]
  readonly interval: ReportInterval | null
  readonly groupBy: ReportDimension | null
  readonly compare: boolean
}

/** The rows of a report as the table that is shown, and saved as a file. */
export function usePivot(
  rows: readonly ReportPartsFragment[],
  { metrics, interval, groupBy }: ReportShape,
): Pivot {
  const t = useText()
  return useMemo(() => {
    const groupOf = (row: ReportPartsFragment): string | null => {
      switch (groupBy) {
        case null:
          return null
        case 'PRODUCT':
          return row.product?.name ?? null
        case 'CATEGORY':
          return row.category?.name ?? null
        case 'CURRENCY':
          return row.currency
        case 'STATUS':
          return Object.hasOwn(orderStatuses, row.orderStatus ?? '')
            ? t(orderStatuses[row.orderStatus as keyof typeof orderStatuses].name)
            : row.orderStatus
        default:
          return groupBy satisfies never
      }
    }
    return pivot(rows, { metrics, hasIntervals: interval !== null, groupOf })
  }, [rows, metrics, interval, groupBy, t])
}

interface Props {
  readonly caption: string
  readonly pivot: Pivot
  readonly shape: ReportShape
}

/** A chart of what comes over time, and the figures. */
export function ReportView({ caption, pivot: shown, shape }: Props): ReactNode {
  const t = useText()
  if (shown.lines.length === 0)
    return <Empty icon="inbox" title={t('emptyReport')} text={t('emptyReportText')} />
  return (
    <div className="stack">
      {shape.interval !== null && shape.groupBy === null && <ReportChart pivot={shown} />}
      <ReportTable
        caption={caption}
        pivot={shown}
        compares={shape.compare}
        groupTitle={shape.groupBy === null ? null : dimensions[shape.groupBy]}
      />
    </div>
  )
}
