import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CuttableProxy, startCuttableProxy } from './support/cuttable-proxy.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { bearer, type Client, createClient } from './support/graphql-client.ts'
import { createCustomer, createOrder, createStockedProduct, succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const root = path.join(import.meta.dirname, '..')
const patience = { timeout: 15_000, interval: 50 }

let platform: TestPlatform
let merchant: Client
let proxy: CuttableProxy
let folder: string
let example: ChildProcess
const printed: string[] = []
const complaints: string[] = []

beforeAll(async () => {
  platform = await startTestPlatform()
  merchant = createClient(platform.graphqlUrl, bearer(platform.liveKey))
  proxy = await startCuttableProxy(Number(new URL(platform.graphqlUrl).port))
  // Beside the installed packages, like the reader's own file.
  folder = await mkdtemp(path.join(root, 'node_modules/.subscription-example-'))
  const page = await readFile(path.join(root, 'docs/subscriptions.md'), 'utf8')
  const [, source = ''] = /```js\n(.*?)```/s.exec(page) ?? []
  const file = path.join(folder, 'example.mjs')
  await writeFile(file, source)
  example = spawn(process.execPath, [file], {
    env: {
      ...process.env,
      API_KEY: platform.liveKey,
      GRAPHQL_URL: `ws://127.0.0.1:${proxy.port}/graphql`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const [stream, lines] of [
    [example.stdout, printed],
    [example.stderr, complaints],
  ] as const) {
    if (stream !== null) createInterface(stream).on('line', (line) => lines.push(line))
  }
})
afterAll(async () => {
  example.kill()
  await proxy.close()
  await rm(folder, { recursive: true, force: true })
  await platform.stop()
})

async function placeOrder(): Promise<string> {
  const product = await createStockedProduct(merchant, 5)
  const customerId = await createCustomer(merchant)
  const { createOrder: created } = succeeded(
    await createOrder(merchant, customerId, [{ productId: product.id, quantity: 1 }]),
  )
  const answer = await merchant<{ order: { orderNumber: string } }>(
    'query ($id: ID!) { order(id: $id) { orderNumber } }',
    { id: created?.order?.id ?? '' },
  )
  return succeeded(answer).order.orderNumber
}

const timesPrinted = (orderNumber: string) => printed.filter((line) => line.includes(orderNumber)).length

test.skipIf(!longTests)(
  longTest(
    'the printed example of docs/subscriptions.md misses no order when its connection is cut or goes silent',
  ),
  async () => {
    // The example misses orders that are placed before it listens.
    let first = await placeOrder()
    await expect
      .poll(async () => {
        if (timesPrinted(first) === 0) first = await placeOrder()
        return timesPrinted(first)
      }, patience)
      .toBe(1)
    const numbers = [first]
    proxy.cut()
    numbers.push(await placeOrder())
    await expect.poll(() => timesPrinted(numbers[1] ?? ''), patience).toBe(1)
    proxy.silence()
    numbers.push(await placeOrder())
    await expect.poll(() => timesPrinted(numbers[2] ?? ''), { ...patience, timeout: 30_000 }).toBe(1)
    for (const number of numbers) expect(timesPrinted(number)).toBe(1)
    expect(complaints.join('\n').match(/The connection is lost/g)).toHaveLength(2)
    expect(example.exitCode).toBeNull()
  },
  60_000,
)
