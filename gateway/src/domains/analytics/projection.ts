import { currencyFormat, isCurrency, isTimeZone } from '@commerce-graph/contract/input'
import { type CatalogueError, invalidFormat, outOfRange } from '@commerce-graph/contract/errors'
import { ascending, type OrderBy } from '../../projection/condition.ts'
import { idEquals, searchIn } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'
import { maxDays, maxGroups, maxMetrics, maxRows, notGroupable, type Question, rowsOf } from './questions.ts'

const firstYear = 1970
const lastYear = 2199
const dayInMilliseconds = 24 * 60 * 60 * 1000

/** More currencies than one make more rows than `maxRows`; a report is not cut off for that. */
const limit = maxRows * 10

const inOrder: readonly OrderBy[] = [
  ascending('number'),
  ascending('group_rank'),
  ascending('metric'),
  ascending('currency'),
]

interface ReportArguments extends Question {
  readonly startDate: string
  readonly endDate: string
}

function checkReport(args: Readonly<Record<string, unknown>>): readonly CatalogueError[] {
  const question = args as unknown as ReportArguments
  const { metrics, startDate, endDate, interval, timeZone, groupLimit, currency } = question
  const year = Number(startDate.slice(0, 4))
  const days = Math.round((Date.parse(endDate) - Date.parse(startDate)) / dayInMilliseconds) + 1
  const rows = rowsOf(question, days)
  const errors = [
    ...(metrics.length < 1 || metrics.length > maxMetrics
      ? [outOfRange('metrics', metrics.length, 1, maxMetrics)]
      : []),
    ...notGroupable(question).map((metric) => invalidFormat('metrics', `no ${metric} with this groupBy`)),
    ...(year < firstYear || year > lastYear ? [outOfRange('startDate', startDate, firstYear, lastYear)] : []),
    ...(days < 1 || days > maxDays(interval) ? [outOfRange('endDate', days, 1, maxDays(interval))] : []),
    ...(timeZone != null && !isTimeZone(timeZone)
      ? [invalidFormat('timeZone', 'IANA time zone such as Europe/Berlin')]
      : []),
    ...(groupLimit != null && (groupLimit < 1 || groupLimit > maxGroups)
      ? [outOfRange('groupLimit', groupLimit, 1, maxGroups)]
      : []),
    ...(currency != null && !isCurrency(currency) ? [invalidFormat('currency', currencyFormat)] : []),
  ]
  return errors.length === 0 && rows > maxRows ? [outOfRange('interval', `${rows} rows`, 1, maxRows)] : errors
}

const dashboards: ConnectionProjection = {
  projection: 'Dashboard',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    POSITION: { column: 'position', type: 'Int' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: { searchQuery: searchIn({ name: 'String' }), ...updatedAtFilters },
}

export const analytics: DomainProjection = {
  queries: {
    report: {
      kind: 'function',
      function: 'analytics_report',
      projection: 'ReportRow',
      args: {
        metrics: { type: 'String!', toVariable: (metrics) => (metrics as readonly string[]).join(',') },
        startDate: { type: 'date!' },
        endDate: { type: 'date!' },
        interval: { type: 'String!' },
        timeZone: { type: 'String!' },
        groupBy: { type: 'String!' },
        groupLimit: { type: 'Int!' },
        currency: { type: 'String!' },
        compare: { type: 'Boolean!' },
      },
      check: checkReport,
      orderBy: inOrder,
      limit,
    },
    dashboard: {
      kind: 'lookup',
      projection: 'Dashboard',
      by: { id: idEquals('id') },
    },
    dashboards: { kind: 'connection', connection: dashboards },
  },
  types: {
    ReportRow: { type: 'ReportRow', table: 'analytics_report_row' },
    ProductAnalytics: { type: 'ProductAnalytics', table: 'analytics_product_analytics' },
    Dashboard: {
      type: 'Dashboard',
      table: 'analytics_dashboard',
      fields: {
        widgets: { kind: 'list', relationship: 'widgets', orderBy: [ascending('position')] },
      },
    },
    DashboardWidget: {
      type: 'DashboardWidget',
      table: 'analytics_widget',
      fields: {
        report: { kind: 'list', relationship: 'report', projection: 'ReportRow', orderBy: inOrder },
      },
    },
  },
}
