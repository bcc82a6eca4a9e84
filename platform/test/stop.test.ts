import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { KeepAliveClients } from '@commerce-graph/http-server/testing'
import { ratesFrom } from '@commerce-graph/rate-limits/rates'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { firstQuery, readConfiguration, startPlatform } from '../src/index.ts'

const reserve = 'mutation { reserveInventory(items: []) { errors { field code } } }'

const long = process.env['TEST_LONG'] !== undefined
const skipped = long ? '' : ' (skipped: npm run test:long runs it)'

test.skipIf(!long)(
  `a draining stop first fails the health checks of every port, and every request still gets its full answer${skipped}`,
  async () => {
    const database = await createTestDatabase()
    const dataDir = mkdtempSync(join(tmpdir(), 'platform-'))
    onTestFinished(async () => {
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    })
    const platform = await startPlatform({
      ...readConfiguration({ DATABASE_URL: database.url, LOG_LEVEL: 'silent' }),
      ports: { kind: 'free' },
      dataDir,
      rates: ratesFrom({ LIMIT_RATE_PRO: 'unlimited/1000000/1000000' }),
    })
    const { graphql, hasura, authWebhook, actions } = platform.urls
    const headers = {
      authorization: `Bearer ${platform.demoShop?.liveKey ?? ''}`,
      'content-type': 'application/json',
    }
    const ask = (url: string, query: string) =>
      new KeepAliveClients(4, { url, method: 'POST', headers, body: JSON.stringify({ query }) })
    const ofContract = ask(graphql, firstQuery)
    // Over the engine's own port; the engine calls the webhook and an action.
    const ofEngine = ask(`${hasura}/v1/graphql`, reserve)
    for (const { outcomes } of [ofContract, ofEngine])
      await expect.poll(() => outcomes.length, { timeout: 20_000 }).toBeGreaterThan(16)

    const stopped = platform.stop({ drain: true })
    const healths = [
      new URL('/readyz', graphql).href,
      `${hasura}/healthz`,
      `${authWebhook}/healthz`,
      `${actions}/healthz`,
    ]
    const statuses = await Promise.all(healths.map(async (url) => (await fetch(url)).status))
    expect(statuses).toEqual([503, 503, 503, 503])
    await Promise.all([stopped, ofContract.refused(), ofEngine.refused()])

    const answers = ({ outcomes }: KeepAliveClients) =>
      new Set(outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : outcome.body)))
    expect(answers(ofContract).size).toBe(2)
    expect(await ofContract.end()).toEqual([200, 'ECONNREFUSED'])
    expect([...answers(ofEngine)]).toEqual([
      JSON.stringify({
        data: { reserveInventory: { errors: [{ field: 'items', code: 'REQUIRED_FIELD' }] } },
      }),
      'ECONNREFUSED',
    ])
  },
  180_000,
)
