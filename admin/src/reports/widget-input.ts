import type { DashboardOfQuery } from '../generated/operations.ts'

export type Dashboard = NonNullable<DashboardOfQuery['dashboard']>
export type Widget = Dashboard['widgets'][number]

/** A widget as the API takes it: a change replaces all widgets of a dashboard. */
export const widgetInput = ({
  title,
  metrics,
  lastDays,
  interval,
  timeZone,
  groupBy,
  groupLimit,
  currency,
  compare,
}: Widget) => ({
  title,
  metrics: [...metrics],
  lastDays,
  interval,
  timeZone,
  groupBy,
  groupLimit,
  currency,
  compare,
})
