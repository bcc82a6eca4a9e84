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
    groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
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
