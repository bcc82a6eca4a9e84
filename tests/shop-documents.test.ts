import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newEncryptionKey } from '@commerce-graph/secret-box'
import { bearer, createClient } from './support/graphql-client.ts'
import { followOpenAShop, openShop } from './support/opened-shop.ts'
import { succeeded } from './support/shop.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const encryptionKeys = [newEncryptionKey()]
let platform: TestPlatform

beforeAll(async () => {
  platform = await startTestPlatform({ encryptionKeys })
}, 120_000)
afterAll(() => platform.stop())

/** The page's code, and what it has learned at its end. In Node, the header that a browser adds by itself must be written. */
async function storefront(): Promise<string> {
  const page = await readFile(path.join(import.meta.dirname, '../docs/storefront.md'), 'utf8')
  const code = [...page.matchAll(/```js\n(.*?)```/gs)].map(([, block]) => block).join('\n')
  const filled = code
    .replace('http://127.0.0.1:4000/graphql', platform.graphqlUrl)
    .replace('cg_pub_…', platform.publishableKey)
    .replace('headers: {', `headers: { Origin: 'http://localhost:3000',`)
  return `(async () => { ${filled}\n return { product, order, declined, paid, statuses } })()`
}

test('the storefront of docs/storefront.md sells to a guest, with only the publishable key in the page', async () => {
  const source = await storefront()
  for (const secret of [platform.liveKey, platform.testKey, platform.adminSecret])
    expect(source).not.toContain(secret)
  // oxlint-disable-next-line no-eval -- the page's script is text
  expect(await (globalThis.eval(source) as Promise<unknown>)).toMatchObject({
    product: { availability: { inStock: true, quantity: null } },
    order: { status: 'PENDING' },
    declined: { refused: 'SVC_BIZ_002', error: { declineCode: 'generic_decline' } },
    paid: { status: 'SUCCEEDED', errors: [], error: null },
    statuses: expect.arrayContaining(['PENDING', 'CONFIRMED']) as unknown,
  })
}, 60_000)

test('the requests of docs/open-a-shop.md leave nothing undone that a shop needs to sell', async () => {
  const { databaseUrl, graphqlUrl } = platform
  const { liveKey } = await openShop({ databaseUrl, encryptionKeys, origin: 'https://mill.example' })
  const owner = createClient(graphqlUrl, bearer(liveKey))
  const undone = async (): Promise<readonly string[]> => {
    const { merchantAccount } = succeeded(
      await owner<{
        merchantAccount: { readiness: { name: string; required: boolean; done: boolean }[] }
      }>('{ merchantAccount { readiness { name required done } } }'),
    )
    return merchantAccount.readiness.filter(({ done }) => !done).map(({ name }) => name)
  }
  expect(await undone()).toEqual(expect.arrayContaining(['PRODUCT', 'STOCK', 'SHIPPING_METHOD']))
  await followOpenAShop(owner)
  // The rest takes mails to the owner, DNS, and the processor's settings.
  expect((await undone()).toSorted()).toEqual(['OWNER', 'PAYMENT_WEBHOOK', 'REPLY_ADDRESS', 'SENDER'])
})
