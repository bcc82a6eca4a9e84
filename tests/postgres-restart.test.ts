import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { createCustomer, createOrder, createStockedProduct } from './support/shop.ts'

const restarts = 3
const writerCount = 8

const started = new AsyncDisposableStack()
afterEach(() => started.disposeAsync())

test.skipIf(!longTests)(
  longTest('a platform under load survives restarts of its Postgres, and is ready again after each'),
  async () => {
    const dataDir = await mkdtemp(path.join(tmpdir(), 'restarted-'))
    started.defer(() => rm(dataDir, { recursive: true, force: true }))
    let server = await startLocalPostgres({ dataDir, databases: ['shop'] })
    started.defer(() => server.stop())
    const port = Number(new URL(server.url).port)
    const platform = await PlatformProcess.create()
    started.defer(() => platform.remove())
    const { graphqlUrl, liveKey } = await platform.start({ DATABASE_URL: server.url })
    const client = createClient(graphqlUrl, bearer(liveKey))
    const product = await createStockedProduct(client, 100_000)
    const customerId = await createCustomer(client)
    let isWriting = true
    const write = async () => {
      while (isWriting)
        await createOrder(client, customerId, [{ productId: product.id, quantity: 1 }]).catch(() => undefined)
    }
    const writers = Array.from({ length: writerCount }, write)
    try {
      const readiness = async () => (await fetch(new URL('/readyz', graphqlUrl))).status
      for (let restart = 1; restart <= restarts; restart += 1) {
        await server.stop()
        await expect.poll(readiness, { timeout: 30_000 }).toBe(503)
        server = await startLocalPostgres({ dataDir, databases: ['shop'], port })
        await expect.poll(readiness, { timeout: 60_000 }).toBe(200)
        expect(platform.output).not.toContain('Stopping')
      }
    } finally {
      isWriting = false
      await Promise.all(writers)
    }
    const last = await createOrder(client, customerId, [{ productId: product.id, quantity: 1 }])
    expect(last.status).toBe(200)
  },
  300_000,
)
