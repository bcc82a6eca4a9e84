import { useMemo } from 'react'
import { addDays, dayIn } from '../format/shop-days.ts'
import type { Metric, ReportDimension, ReportInterval } from '../generated/operations.ts'
import { useShop } from '../shell/shop.ts'
import { useFilters } from '../ui/use-filters.ts'
import { isDimension, isInterval, isMetric, metricsBy } from './metrics.ts'

/** What a report is asked for. */
export interface ReportQuestion {
  readonly metrics: readonly Metric[]
  /** Days of the shop, `2026-11-26`. */
  readonly start: string
  readonly end: string
  readonly interval: ReportInterval | null
  readonly groupBy: ReportDimension | null
  readonly compare: boolean
}

const names = ['metrics', 'start', 'end', 'interval', 'groupBy', 'compare'] as const
const isDay = (text: string): boolean => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))
const firstMetrics: readonly Metric[] = ['TOTAL_SALES', 'ORDERS']
/** In an address, what says that nothing is meant; without it, the address says nothing. */
const none = '-'

/** The question is in the address, so that a report can be shared. */
export function useReportQuestion(): [ReportQuestion, (changed: Partial<ReportQuestion>) => void] {
  const { timeZone } = useShop()
  const [said, say] = useFilters(names)
  const question = useMemo((): ReportQuestion => {
    const today = dayIn(timeZone)
    const end = isDay(said.end) ? said.end : today
    const groupBy = isDimension(said.groupBy) ? said.groupBy : null
    const offered = metricsBy(groupBy)
    const chosen = said.metrics.split(' ').filter(isMetric)
    const asked = (said.metrics === '' ? firstMetrics : chosen).filter((name) => offered.includes(name))
    return {
      metrics: asked.length > 0 || said.metrics === none ? asked : offered.slice(0, 1),
      start: isDay(said.start) ? said.start : addDays(end, -29),
      end,
      interval: isInterval(said.interval)
        ? said.interval
        : said.interval === none || groupBy !== null
          ? null
          : 'DAY',
      groupBy,
      compare: said.compare === 'true',
    }
  }, [said.metrics, said.start, said.end, said.interval, said.groupBy, said.compare, timeZone])
  return [
    question,
    ({ metrics, start, end, interval, groupBy, compare }) =>
      say({
        ...(metrics !== undefined && { metrics: metrics.length === 0 ? none : metrics.join(' ') }),
        ...(start !== undefined && { start }),
        ...(end !== undefined && { end }),
        ...(interval !== undefined && { interval: interval ?? none }),
        ...(groupBy !== undefined && { groupBy: groupBy ?? '' }),
        ...(compare !== undefined && { compare: compare ? 'true' : '' }),
      }),
  ]
}
