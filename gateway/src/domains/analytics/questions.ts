/** The groupings of each metric. `analytics.groupings` repeats them in SQL, and a test compares the two. */
export const groupings = {
  ORDERS_PLACED: ['CURRENCY', 'STATUS'],
  ORDERS_CANCELLED: ['CURRENCY', 'STATUS'],
  ORDERS: ['CURRENCY', 'STATUS', 'PRODUCT'],
  UNITS: ['CURRENCY', 'STATUS', 'PRODUCT', 'CATEGORY'],
  GROSS_SALES: ['CURRENCY', 'STATUS', 'PRODUCT', 'CATEGORY'],
  DISCOUNTS: ['CURRENCY', 'STATUS', 'PRODUCT', 'CATEGORY'],
  REVENUE: ['CURRENCY', 'STATUS', 'PRODUCT', 'CATEGORY'],
  SHIPPING: ['CURRENCY', 'STATUS'],
  TAX: ['CURRENCY', 'STATUS', 'PRODUCT', 'CATEGORY'],
  TOTAL_SALES: ['CURRENCY', 'STATUS'],
  AVERAGE_ORDER_VALUE: ['CURRENCY', 'STATUS'],
  REFUNDS: ['CURRENCY', 'STATUS'],
  REFUNDED: ['CURRENCY', 'STATUS'],
  CUSTOMERS: [],
  NEW_CUSTOMERS: [],
  RETURNING_CUSTOMERS: [],
  REGISTRATIONS: [],
  VIEWS: ['PRODUCT', 'CATEGORY'],
  STOCK_RECEIVED: ['PRODUCT'],
  STOCK_REMOVED: ['PRODUCT'],
  STOCK_LEVEL: [],
} as const satisfies Readonly<Record<string, readonly Dimension[]>>

export type Metric = keyof typeof groupings
export type Dimension = 'CURRENCY' | 'STATUS' | 'PRODUCT' | 'CATEGORY'
export type Interval = 'HOUR' | 'DAY' | 'WEEK' | 'MONTH' | 'QUARTER' | 'YEAR'

/** The parameters of a report, requested directly or saved in a widget. */
export interface Question {
  readonly metrics: readonly Metric[]
  readonly interval?: Interval | null
  readonly timeZone?: string | null
  readonly groupBy?: Dimension | null
  readonly groupLimit?: number | null
  readonly currency?: string | null
}

export const maxMetrics = 10
export const maxGroups = 100
/** Of all rows of a report that has no more currencies than one. */
export const maxRows = 20_000

/** The longest range of days, by how it is cut up. */
export const maxDays = (interval: Interval | null | undefined): number =>
  interval === 'HOUR' ? 31 : interval === 'DAY' ? 800 : 3660

const daysIn: Readonly<Record<Exclude<Interval, 'HOUR'>, number>> = {
  DAY: 1,
  WEEK: 7,
  MONTH: 28,
  QUARTER: 90,
  YEAR: 365,
}

/** The maximum number of rows of a report. It assumes one currency, because the client can filter by currency. */
export function rowsOf({ metrics, interval, groupBy, groupLimit }: Question, days: number): number {
  const intervals =
    interval == null ? 1 : interval === 'HOUR' ? days * 25 : Math.ceil(days / daysIn[interval]) + 1
  return intervals * metrics.length * (groupBy == null ? 1 : (groupLimit ?? maxGroups))
}

/** The metrics that can't be grouped as asked. */
export const notGroupable = ({ metrics, groupBy }: Question): readonly Metric[] =>
  groupBy == null
    ? []
    : metrics.filter((metric) => !(groupings[metric] as readonly Dimension[]).includes(groupBy))
