import type { Metric, ReportDimension, ReportInterval } from '../generated/operations.ts'
import type { MessageName } from '../language/catalogue.ts'

interface MetricKind {
  readonly name: MessageName
  readonly isMoney: boolean
  /** What a report of it can be grouped by, as the schema says of each metric. */
  readonly by: readonly ReportDimension[]
}

const ofOrders = ['CURRENCY', 'STATUS'] as const
const ofLines = ['CURRENCY', 'STATUS', 'PRODUCT', 'CATEGORY'] as const
const money = (name: MessageName, by: readonly ReportDimension[]): MetricKind => ({ name, isMoney: true, by })
const count = (name: MessageName, by: readonly ReportDimension[]): MetricKind => ({
  name,
  isMoney: false,
  by,
})

export const metrics: Readonly<Record<Metric, MetricKind>> = {
  TOTAL_SALES: money('metricTotalSales', ofOrders),
  ORDERS: count('metricOrders', ['CURRENCY', 'STATUS', 'PRODUCT']),
  UNITS: count('metricUnits', ofLines),
  AVERAGE_ORDER_VALUE: money('metricAverage', ofOrders),
  GROSS_SALES: money('metricGross', ofLines),
  DISCOUNTS: money('metricDiscounts', ofLines),
  REVENUE: money('metricRevenue', ofLines),
  SHIPPING: money('metricShipping', ofOrders),
  TAX: money('metricTax', ofLines),
  REFUNDS: count('metricRefunds', ofOrders),
  REFUNDED: money('metricRefunded', ofOrders),
  ORDERS_PLACED: count('metricPlaced', ofOrders),
  ORDERS_CANCELLED: count('metricCancelled', ofOrders),
  CUSTOMERS: count('metricCustomers', []),
  NEW_CUSTOMERS: count('metricNewCustomers', []),
  RETURNING_CUSTOMERS: count('metricReturning', []),
  REGISTRATIONS: count('metricRegistrations', []),
  VIEWS: count('metricViews', ['PRODUCT', 'CATEGORY']),
  STOCK_RECEIVED: count('metricReceived', ['PRODUCT']),
  STOCK_REMOVED: count('metricRemoved', ['PRODUCT']),
  STOCK_LEVEL: count('metricStock', []),
}

export const metricNames = Object.keys(metrics) as readonly Metric[]

/** The most that a report takes. */
export const maxMetrics = 10

export const intervals = {
  HOUR: 'byHour',
  DAY: 'byDay',
  WEEK: 'byWeek',
  MONTH: 'byMonth',
  QUARTER: 'byQuarter',
  YEAR: 'byYear',
} as const satisfies Record<ReportInterval, MessageName>

export const dimensions = {
  PRODUCT: 'byProduct',
  CATEGORY: 'byCategory',
  STATUS: 'byStatus',
  CURRENCY: 'byCurrency',
} as const satisfies Record<ReportDimension, MessageName>

export const isInterval = (text: string): text is ReportInterval => Object.hasOwn(intervals, text)
export const isDimension = (text: string): text is ReportDimension => Object.hasOwn(dimensions, text)
export const isMetric = (text: string): text is Metric => Object.hasOwn(metrics, text)

/** Those that can be grouped so. The rows of counts don't say which currency they are of, so by currency only money is offered. */
export const metricsBy = (dimension: ReportDimension | null): readonly Metric[] =>
  metricNames.filter((name) => {
    const { by, isMoney } = metrics[name]
    return dimension === null || (by.includes(dimension) && (isMoney || dimension !== 'CURRENCY'))
  })
