import { invalidValue, outOfRange, type UserError } from '@commerce-graph/contract/input'
import { action, type MutationDefinition, type Values, type Write } from '../../mutation/definition.ts'
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
import {
  currency,
  type Fields,
  integer,
  list,
  object,
  optionalText,
  text,
  timeZone,
} from '../../mutation/rules.ts'
import { toUuid } from '../../projection/filter.ts'
import { maxDays, maxGroups, maxMetrics, maxRows, notGroupable, type Question, rowsOf } from './questions.ts'

const dashboardTable = table('Dashboard', 'dashboards', { counter: 'position' })
const widgetTable = table('DashboardWidget', 'dashboardWidgets')

const maxWidgets = 20
const maxPosition = 1_000_000
const dashboardRules: Fields = {
  name: text({ max: 200 }),
  description: optionalText({ max: 5000 }),
  position: integer({ min: 0, max: maxPosition }),
  widgets: list(
    object({
      title: text({ max: 200 }),
      timeZone,
      groupLimit: integer({ min: 1, max: maxGroups }),
      currency,
    }),
    { max: maxWidgets },
  ),
}
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

interface WidgetInput extends Question {
  readonly lastDays: number
}

interface DashboardInput {
  readonly name?: string | null
  readonly widgets?: readonly WidgetInput[] | null
}

const checkWidgets = ({ widgets }: DashboardInput): readonly UserError[] =>
  (widgets ?? []).slice(0, maxWidgets).flatMap((widget, index) => checkWidget(widget, `widgets.${index}`))

function checkWidget(widget: WidgetInput, field: string): readonly UserError[] {
  const { metrics, lastDays, interval } = widget
  const most = maxDays(interval)
  const ungroupable = notGroupable(widget)
  const rows = rowsOf(widget, lastDays)
  const errors = [
    ...(metrics.length < 1 || metrics.length > maxMetrics
      ? [outOfRange(`${field}.metrics`, metrics.length, 1, maxMetrics)]
      : []),
    ...(ungroupable.length > 0
      ? [invalidValue(`${field}.groupBy`, `${ungroupable.join(', ')} can not be grouped by it`)]
      : []),
    ...(lastDays < 1 || lastDays > most ? [outOfRange(`${field}.lastDays`, lastDays, 1, most)] : []),
  ]
  return errors.length === 0 && rows > maxRows
    ? [invalidValue(`${field}.interval`, `The report would have more than ${maxRows} rows`)]
    : errors
}

const widgetRows = (widgets: readonly WidgetInput[]): readonly Values[] =>
  widgets.map((widget, position) => ({ ...pick({ ...widget }, widgetColumns, 'left out'), position }))

function updateDashboard(input: DashboardInput, id: unknown): Write {
  const set = pick(input as Values, dashboardColumns)
  if (input.widgets == null) return { before: [], record: update(dashboardTable, byId(id), set) }
  const dashboardId = toUuid(id)
  return {
    before: [
      remove(widgetTable, { dashboardId: { _eq: dashboardId } }),
      ...insertMany(
        widgetTable,
        widgetRows(input.widgets).map((row) => ({ ...row, dashboardId })),
      ),
    ],
    record: update(dashboardTable, byId(id), set, true),
  }
}

export const analyticsMutations: Readonly<Record<string, MutationDefinition>> = {
  createDashboard: creation<DashboardInput>({
    record: 'Dashboard',
    what: 'Dashboard',
    rules: dashboardRules,
    check: checkWidgets,
    lookUps: ({ name }) => [absent(dashboardTable, 'name', valueOf('name', name), 'Dashboard')],
    write: (input) =>
      insertOne(dashboardTable, {
        ...pick(input as Values, dashboardColumns, 'left out'),
        widgets: { data: widgetRows(input.widgets ?? []) },
      }),
  }),
  updateDashboard: change<DashboardInput>({
    record: 'Dashboard',
    what: 'Dashboard',
    rules: dashboardRules,
    required: ['name', 'position', 'widgets'],
    check: checkWidgets,
    lookUps: ({ name }, { id }) => [
      absent(dashboardTable, 'name', valueOf('name', name), 'Dashboard', byId(id)),
    ],
    write: (input, { id }) => updateDashboard(input, id),
  }),
  deleteDashboard: deletion('Dashboard', (id) => remove(dashboardTable, byId(id))),
  recordProductView: action({ record: { relationship: 'product', projection: 'Product' } }),
}
