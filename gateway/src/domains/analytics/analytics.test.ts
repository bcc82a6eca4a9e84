import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { everyPermission, openTestGateway, send, type TestGateway } from '../../testing/gateway.ts'
import { fixtureId } from '../../testing/shop.ts'
import { groupings, maxDays } from './questions.ts'

let gateway: TestGateway
let key: string

beforeAll(async () => {
  gateway = await openTestGateway()
  key = await gateway.createKey({ permissions: everyPermission })
})

afterAll(() => gateway[Symbol.asyncDispose]())

interface Payload {
  readonly dashboard?: { readonly id: string; readonly widgets: readonly unknown[] } | null
  readonly errors: readonly { readonly field: string; readonly code: string }[]
}

async function ask<Data>(document: string, variables: Readonly<Record<string, unknown>> = {}): Promise<Data> {
  const answer = await send(gateway, key, document, variables)
  expect(answer.errors).toEqual([])
  return answer.data as Data
}

const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
const always = 'startDate: "2015-01-01", endDate: "2024-12-31"'

const dashboardFields = `dashboard {
  id name description
  widgets { title metrics lastDays interval timeZone groupBy groupLimit currency compare report { metric value } }
} errors { field code }`

const create = async (input: object): Promise<Payload> =>
  (
    await ask<{ createDashboard: Payload }>(
      `mutation ($input: CreateDashboardInput!) { createDashboard(input: $input) { ${dashboardFields} } }`,
      { input },
    )
  ).createDashboard

const update = async (id: string, input: object): Promise<Payload> =>
  (
    await ask<{ updateDashboard: Payload }>(
      `mutation ($id: ID!, $input: UpdateDashboardInput!) { updateDashboard(id: $id, input: $input) { ${dashboardFields} } }`,
      { id, input },
    )
  ).updateDashboard

const widget = { title: 'Revenue', metrics: ['REVENUE', 'ORDERS'], lastDays: 7, interval: 'DAY' }

describe('a report', () => {
  test('has a row for each day and metric, and money in its own currency', async () => {
    const { report } = await ask<{ report: { metric: string; currency: string | null }[] }>(
      `{ report(metrics: [ORDERS, REVENUE], startDate: "${day(-6)}", endDate: "${day(0)}", interval: DAY, compare: true) {
        startTime endTime metric currency value previousValue
      } }`,
    )
    expect(report.filter(({ metric }) => metric === 'ORDERS')).toHaveLength(7)
    expect(report.every(({ metric, currency }) => (currency === null) === (metric === 'ORDERS'))).toBe(true)
    expect(report[0]).toMatchObject({ metric: 'ORDERS', currency: null })
  })

  test('by product names the products, and agrees with the products’ own figures', async () => {
    const [sold] = await gateway.shop.sql(
      `SELECT s.product_id AS id, s.total_sold::integer AS units, s.revenue::integer FROM analytics.product_sales s
       JOIN catalog.product p ON p.merchant_id = s.merchant_id AND p.id = s.product_id
       WHERE s.merchant_id = '${fixtureId('merchant', 1, 0)}' AND s.total_sold > 0 AND p.deleted_at IS NULL
       ORDER BY s.product_id LIMIT 1`,
    )
    const { product } = await ask<{ product: { totalSold: number; analytics: object } }>(
      'query ($id: ID!) { product(id: $id) { totalSold analytics { views conversions revenue } } }',
      { id: sold?.['id'] },
    )
    expect(product.totalSold).toBe(sold?.['units'])
    expect(product.analytics).toMatchObject({ views: 0, revenue: sold?.['revenue'] })
    const [placed] = await gateway.shop.sql(
      `SELECT min(paid_at)::date::text AS first, max(paid_at)::date::text AS last FROM ordering.order`,
    )
    const { report } = await ask<{
      report: { metric: string; value: number; product: { id: string; name: string } }[]
    }>(
      `query ($first: Date!, $last: Date!) { report(metrics: [UNITS, REVENUE], startDate: $first, endDate: $last, timeZone: "UTC", groupBy: PRODUCT, groupLimit: 100) {
        metric value product { id name }
      } }`,
      { first: placed?.['first'], last: placed?.['last'] },
    )
    const mine = report.filter((row) => row.product.id === sold?.['id'])
    expect(mine.map(({ metric, value }) => [metric, value])).toEqual([
      ['REVENUE', sold?.['revenue']],
      ['UNITS', sold?.['units']],
    ])
  })

  test('lists the largest group first, by the first metric, in each interval', async () => {
    const [sold] = await gateway.shop.sql(
      `SELECT min(paid_at)::date::text AS first, max(paid_at)::date::text AS last FROM ordering.order`,
    )
    const { report } = await ask<{
      report: { metric: string; startTime: string; value: number; product: { id: string } }[]
    }>(
      `query ($first: Date!, $last: Date!) { report(metrics: [UNITS, ORDERS], startDate: $first, endDate: $last, timeZone: "UTC", groupBy: PRODUCT, groupLimit: 100) {
        startTime metric value product { id }
      } }`,
      { first: sold?.['first'], last: sold?.['last'] },
    )
    const units = report.filter(({ metric }) => metric === 'UNITS').map(({ value }) => value)
    expect(new Set(units).size).toBeGreaterThan(1)
    expect(units).toEqual([...units].sort((a, b) => b - a))
    const products = [...new Set(report.map(({ product }) => product.id))]
    expect(report.map(({ product, metric }) => [product.id, metric])).toEqual(
      products.flatMap((id) => [
        [id, 'ORDERS'],
        [id, 'UNITS'],
      ]),
    )
  })

  test('is the same with null for an argument that has a default as without it, whichever was asked first', async () => {
    const document = `query ($limit: Int, $compare: Boolean) {
      report(metrics: [UNITS], ${always}, groupBy: PRODUCT, groupLimit: $limit, compare: $compare) { metric value previousValue }
    }`
    const preset = await ask<object>(document)
    expect(await ask<object>(document, { limit: null, compare: null })).toEqual(preset)
    expect(await ask<object>(document)).toEqual(preset)
  })

  test('can start in 1970', async () => {
    const { report } = await ask<{ report: { value: number }[] }>(
      '{ report(metrics: [ORDERS], startDate: "1970-01-01", endDate: "1979-12-31", interval: YEAR) { value } }',
    )
    expect(report.map(({ value }) => value)).toEqual(Array.from({ length: 10 }, () => 0))
  })

  test.each([
    ['metrics', `metrics: [], startDate: "2026-01-01", endDate: "2026-01-02"`],
    ['metrics', `metrics: [CUSTOMERS], groupBy: PRODUCT, startDate: "2026-01-01", endDate: "2026-01-02"`],
    ['endDate', `metrics: [ORDERS], startDate: "2026-01-02", endDate: "2026-01-01"`],
    ['endDate', `metrics: [ORDERS], interval: HOUR, startDate: "2026-01-01", endDate: "2026-03-01"`],
    ['endDate', `metrics: [ORDERS], startDate: "2000-01-01", endDate: "2026-03-01"`],
    ['startDate', `metrics: [ORDERS], startDate: "1969-12-31", endDate: "1970-01-02"`],
    ['timeZone', `metrics: [ORDERS], ${always}, timeZone: "+01:00"`],
    ['groupLimit', `metrics: [ORDERS], ${always}, groupBy: PRODUCT, groupLimit: 0`],
    ['currency', `metrics: [ORDERS], ${always}, currency: "dollars"`],
    [
      'interval',
      `metrics: [ORDERS], startDate: "2026-01-01", endDate: "2026-12-31", interval: DAY, groupBy: PRODUCT, groupLimit: 100`,
    ],
  ])('refuses an error in %s', async (field, args) => {
    const answer = await send(gateway, key, `{ report(${args}) { value } }`)
    expect(answer.errors.map(({ extensions }) => (extensions['details'] as { field: string }).field)).toEqual(
      [field],
    )
  })

  test('is refused without analytics:read', async () => {
    const other = await gateway.createKey({ permissions: ['orders:read'] })
    const answer = await send(gateway, other, `{ report(metrics: [ORDERS], ${always}) { value } }`)
    expect(answer.errors[0]?.extensions['id']).toBe('SVC_AUTH_003')
  })
})

describe('a dashboard', () => {
  test('is created with its widgets, returns their reports, can be changed and deleted', async () => {
    const created = await create({
      name: 'Sales',
      widgets: [widget, { ...widget, title: 'By status', interval: null, groupBy: 'STATUS' }],
    })
    expect(created).toMatchObject({
      dashboard: {
        name: 'Sales',
        widgets: [
          { ...widget, groupLimit: 10, compare: false },
          { title: 'By status', groupBy: 'STATUS' },
        ],
      },
      errors: [],
    })
    const widgets = created.dashboard?.widgets as { report: unknown[] }[] | undefined
    expect(widgets?.[0]?.report.length).toBeGreaterThanOrEqual(14)
    const id = created.dashboard?.id ?? ''
    expect(await update(id, { description: 'What we sold' })).toMatchObject({
      dashboard: {
        name: 'Sales',
        description: 'What we sold',
        widgets: [{ title: 'Revenue' }, { title: 'By status' }],
      },
    })
    expect(await update(id, { widgets: [widget] })).toMatchObject({
      dashboard: { widgets: [{ title: 'Revenue' }] },
    })
    const { dashboards } = await ask<{ dashboards: { totalCount: number } }>(
      '{ dashboards(filters: { searchQuery: "sal" }) { totalCount edges { node { name updatedAt } } } }',
    )
    expect(dashboards.totalCount).toBe(1)
    const remove = () =>
      ask<{ deleteDashboard: object }>(
        'mutation ($id: ID!) { deleteDashboard(id: $id) { success errors { code } } }',
        { id },
      )
    expect(await remove()).toEqual({ deleteDashboard: { success: true, errors: [] } })
    expect(await remove()).toMatchObject({ deleteDashboard: { errors: [{ code: 'NOT_FOUND' }] } })
  })

  test('reports all errors of its widgets at once', async () => {
    const { dashboard, errors } = await create({
      name: '',
      widgets: [
        { ...widget, title: '', metrics: [] },
        { ...widget, lastDays: 0 },
        { ...widget, interval: 'HOUR', lastDays: 32 },
        { ...widget, metrics: ['CUSTOMERS'], groupBy: 'STATUS' },
        { ...widget, timeZone: 'Mars/Olympus', groupLimit: 101, currency: 'x' },
        { ...widget, lastDays: 800, groupBy: 'PRODUCT', groupLimit: 100 },
      ],
    })
    expect(dashboard).toBeNull()
    expect(errors.map(({ field }) => field).sort()).toEqual([
      'name',
      'widgets.0.metrics',
      'widgets.0.title',
      'widgets.1.lastDays',
      'widgets.2.lastDays',
      'widgets.3.groupBy',
      'widgets.4.currency',
      'widgets.4.groupLimit',
      'widgets.4.timeZone',
      'widgets.5.interval',
    ])
  })

  test('has a unique name and at most 20 widgets', async () => {
    await create({ name: 'Twice' })
    expect((await create({ name: 'Twice' })).errors).toEqual([{ field: 'name', code: 'ALREADY_EXISTS' }])
    const many = await create({ name: 'Many', widgets: Array.from({ length: 21 }, () => widget) })
    expect(many.errors).toEqual([{ field: 'widgets', code: 'OUT_OF_RANGE' }])
  })
})

test('SQL has the same groups and bounds as TypeScript', async () => {
  for (const [metric, dimensions] of Object.entries(groupings)) {
    const [row] = await gateway.shop.sql(
      `SELECT array_to_json(analytics.groupings('${metric}')) AS dimensions`,
    )
    expect(row?.['dimensions']).toEqual(dimensions)
  }
  for (const interval of [null, 'HOUR', 'DAY', 'MONTH'] as const) {
    const refusal = async (days: number) => {
      const quoted = interval === null ? 'NULL' : `'${interval}'`
      const [row] = await gateway.shop.sql(
        `SELECT analytics.question_refusal('{ORDERS}', ${days}, ${quoted}, NULL, NULL, 10) AS refusal`,
      )
      return row?.['refusal']
    }
    expect([await refusal(maxDays(interval)), (await refusal(maxDays(interval) + 1)) !== null]).toEqual([
      null,
      true,
    ])
  }
})
