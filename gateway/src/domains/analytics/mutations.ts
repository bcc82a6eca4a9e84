import type { DashboardWidgetInput, MutationArguments } from '@commerce-graph/contract'
import { invalidValue, outOfRange, type UserError } from '@commerce-graph/contract/input'
import type { MutationDefinition, Values, Write } from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  insertMany,
  insertOne,
  pick,
  remove,
  table,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'
import { maxDays, maxRows, notGroupable, rowsOf } from './questions.ts'

const dashboardTable = table('analytics_dashboard', { counter: 'position' })
const widgetTable = table('analytics_widget')

const maxWidgets = 20
const dashboardColumns = ['name', 'description', 'position'] as const
const widgetColumns = [
  'title',
  'metrics',
  'lastDays',
  'interval',
  'timeZone',
  'groupBy',
  'groupLimit',
  'currency',
  'compare',
] as const

type Dashboard = MutationArguments['createDashboard' | 'updateDashboard']['input']

const checkWidgets = ({ widgets }: Dashboard): readonly UserError[] =>
  (widgets ?? []).slice(0, maxWidgets).flatMap((widget, index) => checkWidget(widget, `widgets.${index}`))

function checkWidget(widget: DashboardWidgetInput, field: string): readonly UserError[] {
  const { lastDays, interval } = widget
  const most = maxDays(interval)
  const ungroupable = notGroupable(widget)
  const rows = rowsOf(widget, lastDays)
  const errors = [
    ...(ungroupable.length > 0
      ? [invalidValue(`${field}.groupBy`, `${ungroupable.join(', ')} can not be grouped by it`)]
      : []),
    ...(lastDays < 1 || lastDays > most ? [outOfRange(`${field}.lastDays`, lastDays, 1, most)] : []),
  ]
  return errors.length === 0 && rows > maxRows
    ? [invalidValue(`${field}.interval`, `The report would have more than ${maxRows} rows`)]
    : errors
}

const widgetRows = (widgets: readonly DashboardWidgetInput[]): readonly Values[] =>
  widgets.map((widget, position) => ({ ...pick(widget, widgetColumns, 'left out'), position }))

function updateDashboard(input: MutationArguments['updateDashboard']['input'], id: string): Write {
  const set = pick(input, dashboardColumns)
  if (input.widgets == null) return { before: [], record: update(dashboardTable, byId(id), set) }
  const dashboardId = toUuid(id)
  return {
    before: [
      remove(widgetTable, { dashboard_id: { _eq: dashboardId } }),
      ...insertMany(
        widgetTable,
        widgetRows(input.widgets).map((row) => ({ ...row, dashboard_id: dashboardId })),
      ),
    ],
    record: update(dashboardTable, byId(id), set, true),
  }
}

export const analyticsMutations: Readonly<Record<string, MutationDefinition>> = {
  createDashboard: creation<'createDashboard'>({
    record: 'Dashboard',
    what: 'Dashboard',
    check: checkWidgets,
    lookUps: ({ name }) => [absent(dashboardTable, 'name', valueOf('name', name), 'Dashboard')],
    write: (input) =>
      insertOne(dashboardTable, {
        ...pick(input, dashboardColumns, 'left out'),
        widgets: { data: widgetRows(input.widgets ?? []) },
      }),
  }),
  updateDashboard: change<'updateDashboard'>({
    record: 'Dashboard',
    what: 'Dashboard',
    check: checkWidgets,
    lookUps: ({ name }, { id }) => [
      absent(dashboardTable, 'name', valueOf('name', name), 'Dashboard', byId(id)),
    ],
    write: (input, { id }) => updateDashboard(input, id),
  }),
  deleteDashboard: deletion('Dashboard', (id) => remove(dashboardTable, byId(id))),
}
