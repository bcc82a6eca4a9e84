import { execFile, spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '@commerce-graph/local-postgres'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { bearer, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { createCustomer, createOrder, createStockedProduct } from './support/shop.ts'
import { startTestPlatform } from './support/test-platform.ts'

const folder = path.resolve(import.meta.dirname, '../deploy/observability')
const hasPrometheus = spawnSync('promtool', ['--version']).status === 0
const withPrometheus = (name: string): string =>
  hasPrometheus ? name : `${name} (skipped: no prometheus and promtool on the PATH)`

const rules = z
  .object({
    groups: z.array(
      z.object({
        rules: z.array(
          z.object({
            alert: z.string(),
            expr: z.string(),
            labels: z.record(z.string(), z.string()),
            annotations: z.record(z.string(), z.string()),
          }),
        ),
      }),
    ),
  })
  .parse(parse(readFileSync(path.join(folder, 'alerts.yml'), 'utf8')))
  .groups.flatMap((group) => group.rules)

const dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })) })),
})

/** The queries of all panels, with their titles. */
const panels = readdirSync(folder)
  .filter((name) => name.startsWith('dashboard-'))
  .flatMap((name) => dashboard.parse(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))).panels)
  .flatMap(({ title, targets }) => targets.map(({ expr }) => ({ title, expr })))

test('each alert has a runbook', () => {
  const runbooks = readFileSync(path.resolve(folder, '../../docs/runbooks.md'), 'utf8')
  const headings = [...runbooks.matchAll(/^## (\w+)$/gm)].map(([, name]) => name)
  expect(headings).toEqual(rules.map(({ alert }) => alert))
})

/** Values in the notation of promtool. */
type Series = Readonly<Record<string, string>>

/** A test of promtool: after `minutes`, the alert fires for these labels alone. */
async function expectToFire(
  alert: string,
  series: Series,
  minutes: number,
  fires: readonly Readonly<Record<string, string>>[],
  interval = '30s',
): Promise<void> {
  const rule = rules.find((one) => one.alert === alert)
  const directory = await mkdtemp(path.join(tmpdir(), 'promtool-'))
  const file = path.join(directory, 'alerts.test.json')
  const test = {
    interval,
    input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
    alert_rule_test: [
      {
        eval_time: `${minutes}m`,
        alertname: alert,
        exp_alerts: fires.map((labels) => ({
          exp_labels: { ...rule?.labels, ...labels },
          exp_annotations: rule?.annotations,
        })),
      },
    ],
  }
  await writeFile(
    file,
    JSON.stringify({
      rule_files: [path.join(folder, 'alerts.yml')],
      evaluation_interval: interval,
      tests: [test],
    }),
  )
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' })
  await rm(directory, { recursive: true })
  expect({ status, said: status === 0 ? '' : `${stdout}${stderr}` }).toEqual({ status: 0, said: '' })
}

const processorCalls = (outcome: string) =>
  `commerce_processor_calls_total{processor="stripe",outcome="${outcome}"}`
const ordersOf = (instance: string) => `commerce_events_total{topic="order.created",instance="${instance}"}`
const lastSuccess = (schedule: string) =>
  `commerce_job_last_success_timestamp_seconds{schedule="${schedule}"}`
const intervalOf = (schedule: string) => `commerce_job_interval_seconds{schedule="${schedule}"}`

describe.skipIf(!hasPrometheus)(withPrometheus('an alert'), () => {
  test('fires for a processor that answers nothing, although most calls are not made any more', () =>
    expectToFire(
      'CommerceProcessorUnanswered',
      {
        [processorCalls('answered')]: '500+0x60',
        [processorCalls('unanswered')]: '0+1x60',
        [processorCalls('left_alone')]: '0+29x60',
      },
      25,
      [{ processor: 'stripe' }],
    ))

  test('doesn’t fire for a processor that answers', () =>
    expectToFire(
      'CommerceProcessorUnanswered',
      { [processorCalls('answered')]: '0+30x60', [processorCalls('unanswered')]: '0+1x60' },
      25,
      [],
    ))

  test('fires for a shop without orders after all workers were replaced', () =>
    expectToFire(
      'CommerceNoOrders',
      // A week in which each minute has an order, and then two hours without any series.
      { [ordersOf('before')]: '0+10x1008 _x12' },
      10_080 + 90,
      [{}],
      '10m',
    ))

  test('names each job that is late, and no other', () =>
    expectToFire(
      'CommerceJobLate',
      {
        [lastSuccess('run-exports')]: '0+0x120',
        [intervalOf('run-exports')]: '1+0x120',
        [lastSuccess('purge-expired')]: '0+0x120',
        [intervalOf('purge-expired')]: '3600+0x120',
      },
      20,
      [{ schedule: 'run-exports' }],
    ))
})

describe.skipIf(!hasPrometheus)(withPrometheus('promtool'), () => {
  test('accepts the alert rules and the configuration', async () => {
    const promtool = promisify(execFile)
    await promtool('promtool', ['check', 'rules', 'alerts.yml'], { cwd: folder })
    await promtool('promtool', ['check', 'config', 'prometheus.yml'], { cwd: folder })
  })
})

describe.skipIf(!longTests || !hasPrometheus)(longTest(withPrometheus('a real Prometheus')), () => {
  test('finds a series for each panel of the dashboards, and can evaluate each alert', async () => {
    const [metricsPort, ownPort] = [await freePorts(1), await freePorts(1)]
    const platform = await startTestPlatform({ metrics: { port: metricsPort, host: '127.0.0.1' } })
    const data = await mkdtemp(path.join(tmpdir(), 'prometheus-'))
    const config = readFileSync(path.join(folder, 'prometheus.yml'), 'utf8')
      .replace('127.0.0.1:9464', `127.0.0.1:${metricsPort}`)
      .replaceAll('15s', '1s')
      .replace('alerts.yml', path.join(folder, 'alerts.yml'))
    await writeFile(path.join(data, 'prometheus.yml'), config)
    const prometheus = spawn('prometheus', [
      `--config.file=${data}/prometheus.yml`,
      `--storage.tsdb.path=${data}/data`,
      `--web.listen-address=127.0.0.1:${ownPort}`,
    ])
    try {
      const merchant = createClient(platform.graphqlUrl, bearer(platform.liveKey))
      const load = async (): Promise<void> => {
        const customerId = await createCustomer(merchant)
        const product = await createStockedProduct(merchant, 1)
        const order = await createOrder(merchant, customerId, [{ productId: product.id, quantity: 1 }])
        const orderId = order.data?.createOrder?.order?.id ?? ''
        await createOrder(merchant, customerId, [{ productId: product.id, quantity: 1 }])
        await merchant(
          'mutation Pay($input: PaymentInput!) { processPayment(input: $input) { status errors { code } } }',
          { input: { orderId, method: 'CARD', paymentMethodId: 'pm_card_visa' } },
        )
        const input = { email: 'none', name: 'x' }
        await merchant(
          'mutation ($input: CustomerInput!) { createCustomer(input: $input) { errors { code } } }',
          {
            input,
          },
        )
      }
      const evaluate = async (expr: string) => {
        const url = `http://127.0.0.1:${ownPort}/api/v1/query?query=${encodeURIComponent(expr)}`
        const answer = (await (await fetch(url)).json()) as {
          status: string
          data?: { result: { value: [number, string] }[] }
        }
        return answer.status === 'success' ? (answer.data?.result ?? []) : answer.status
      }
      const withoutSeries = async (): Promise<readonly string[]> => {
        await load()
        const results = await Promise.all(
          panels.map(async ({ title, expr }) => ({
            title,
            expr,
            found: await evaluate(expr).catch(() => []),
          })),
        )
        return results
          .filter(({ found }) => found.length === 0 || typeof found === 'string')
          .map(({ title, expr }) => `${title}: ${expr}`)
      }
      await expect.poll(withoutSeries, { timeout: 120_000, interval: 1_000 }).toEqual([])
      for (const { alert, expr } of rules)
        expect([alert, typeof (await evaluate(expr))]).toEqual([alert, 'object'])
    } finally {
      prometheus.kill()
      await platform.stop()
      await rm(data, { recursive: true, force: true, maxRetries: 5 })
    }
  }, 240_000)
})
