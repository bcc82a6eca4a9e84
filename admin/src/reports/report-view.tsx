import { type ReactNode, useMemo } from 'react'
import type { Metric, ReportDimension, ReportInterval, ReportPartsFragment } from '../generated/operations.ts'
import { type Translate, useText } from '../language/language.tsx'
import { orderStatuses } from '../orders/order-names.ts'
import { Empty } from '../ui/states.tsx'
import { dimensions } from './metrics.ts'
import { type Group, type Pivot, pivot } from './pivot.ts'
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
    const groupOf = (row: ReportPartsFragment): Group | null => {
      switch (groupBy) {
        case null:
          return null
        case 'PRODUCT':
          return row.product ?? null
        case 'CATEGORY':
          return row.category ?? null
        case 'CURRENCY':
          return row.currency === null ? null : { id: row.currency, name: row.currency }
        case 'STATUS':
          return row.orderStatus === null
            ? null
            : { id: row.orderStatus, name: statusName(row.orderStatus, t) }
        default:
          return groupBy satisfies never
      }
    }
    return pivot(rows, { metrics, hasIntervals: interval !== null, groupOf })
  }, [rows, metrics, interval, groupBy, t])
}

const statusName = (status: string, t: Translate): string =>
  Object.hasOwn(orderStatuses, status) ? t(orderStatuses[status as keyof typeof orderStatuses].name) : status

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
