import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { browserIsMissing, hasBrowser, openBrowser } from '../testing/browser.ts'
import { everyPermission, openTestGateway, type TestGateway } from '../testing/gateway.ts'

const long = process.env['TEST_LONG'] !== undefined
const missing = long ? browserIsMissing : 'npm run test:long runs it'
const skipped = hasBrowser && long ? '' : ` (skipped: ${missing})`

describe.skipIf(!hasBrowser || !long)(`in a browser${skipped}`, { timeout: 60_000 }, () => {
  let gateway: TestGateway
  let key: string
  let browser: Browser
  beforeAll(async () => {
    gateway = await openTestGateway()
    key = await gateway.createKey({ permissions: everyPermission })
    browser = await openBrowser()
  }, 120_000)
  afterAll(async () => {
    await browser.close()
    await gateway[Symbol.asyncDispose]()
  })

  /** A page, and its requests to the gateway with their statuses. */
  async function open(path: string): Promise<{ page: Page; asked: string[]; faults: string[] }> {
    const page = await browser.newPage()
    const asked: string[] = []
    const faults: string[] = []
    page.on('response', (response) => {
      if (response.url().startsWith('http')) asked.push(`${response.request().method()} ${response.status()}`)
    })
    page.on('pageerror', ({ message }) => void faults.push(message))
    await page.goto(new URL(path, gateway.url).href)
    return { page, asked, faults }
  }

  test('GraphiQL opens without a request, shows the schema, asks for the key, stores it, and runs the first query', async () => {
    const { page, asked, faults } = await open('/graphql')
    const result = page.locator('.result-window')
    await page.locator('.graphiql-execute-button').waitFor()

    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    const docs = page.locator('.graphiql-plugin')
    await expect.poll(() => docs.textContent(), { timeout: 10_000 }).toContain('SubscriptionRoot')
    await page.locator('.graphiql-execute-button').click()
    await expect.poll(() => result.textContent(), { timeout: 10_000 }).toContain('Paste')
    expect(asked).toEqual(['GET 200'])

    await page.getByLabel('API key').fill(key)
    await page.locator('.graphiql-execute-button').click()
    await expect.poll(() => result.textContent(), { timeout: 10_000 }).toContain('totalCount')
    expect(asked).toEqual(['GET 200', 'POST 200'])

    await page.reload()
    await page.locator('.graphiql-execute-button').waitFor()
    expect(await page.getByLabel('API key').inputValue()).toBe(key)
    expect(await page.locator('[role="tab"]').count()).toBeLessThanOrEqual(1)
    await page.locator('.graphiql-execute-button').click()
    await expect.poll(() => result.textContent(), { timeout: 10_000 }).toContain('totalCount')
    expect(asked).toEqual(['GET 200', 'POST 200', 'GET 200', 'POST 200'])
    expect(faults).toEqual([])

    const other = await open('/graphql')
    expect(await other.page.getByLabel('API key').inputValue()).toBe('')
    await other.page.close()
    await page.close()
  })

  test('the search of /docs/schema also filters the list of types, and the example has the address', async () => {
    const { page, faults } = await open('/docs/schema')
    expect(await page.locator('pre').first().textContent()).toContain(new URL(gateway.url).origin)
    const links = page.locator('nav a:visible')
    const all = await links.count()
    await page.getByLabel('Search').fill('loyaltyreward')
    await expect.poll(() => links.count()).toBeLessThan(all / 5)
    expect(await links.allTextContents()).toContain('LoyaltyReward')
    expect(await links.allTextContents()).not.toContain('Warehouse')
    expect(faults).toEqual([])
    await page.close()
  })
})
