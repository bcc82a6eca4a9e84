import { browserIsMissing, hasBrowser, openBrowser } from '@commerce-graph/gateway/testing/browser'
import axe from 'axe-core'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longTests } from './support/long-tests.ts'
import { startTestPlatform, type TestPlatform } from './support/test-platform.ts'

const missing = longTests ? browserIsMissing : 'npm run test:long runs it'
const skipped = hasBrowser && longTests ? '' : ` (skipped: ${missing})`

/** WCAG 2.2 at the levels A and AA. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

const looks = {
  light: { colorScheme: 'light', viewport: { width: 1360, height: 850 } },
  dark: { colorScheme: 'dark', viewport: { width: 1360, height: 850 } },
  phone: { colorScheme: 'dark', viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
} as const satisfies Record<string, BrowserContextOptions>

describe.skipIf(!hasBrowser || !longTests)(`/docs in a browser${skipped}`, { timeout: 90_000 }, () => {
  let platform: TestPlatform
  let browser: Browser
  let address: string

  beforeAll(async () => {
    platform = await startTestPlatform({ docs: true })
    address = new URL('/docs', platform.graphqlUrl).href
    browser = await openBrowser()
    const page = await browser.newPage()
    await page.goto(address)
    await page.getByRole('heading', { name: 'Preparing the documentation' }).waitFor()
    await page.getByRole('heading', { name: 'Start here' }).waitFor({ timeout: 500_000 })
    expect(page.url()).toBe(`${address}/`)
    await page.close()
  }, 600_000)
  afterAll(async () => {
    await browser.close()
    await platform.stop()
  })

  interface Visit extends AsyncDisposable {
    readonly page: Page
  }

  /** At its end, the page has broken no rule of its policy, shown no error of a script, and asked for nothing from elsewhere. */
  async function visit(path: string, options: BrowserContextOptions = looks.light): Promise<Visit> {
    const context = await browser.newContext({ locale: 'en-US', ...options })
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) faults.push(message.text())
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(new URL(address).origin)) faults.push(`asked for ${request.url()}`)
    })
    await page.goto(`${address}${path}`)
    return {
      page,
      async [Symbol.asyncDispose]() {
        await context.close()
        expect(faults).toEqual([])
      },
    }
  }

  async function accessible(page: Page): Promise<void> {
    await page.evaluate(`${axe.source};0`)
    const found: unknown = await page.evaluate(
      `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
        violations.map(({ id, nodes }) => ({ id, nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => html + failureSummary) })))`,
    )
    expect(found).toEqual([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
  }

  test('an example of the reference runs on its page, with the key that a reader types', async () => {
    await using visitor = await visit('/api/catalog#products')
    const { page } = visitor
    await page.waitForLoadState('networkidle')
    const example = page.locator('#products ~ .try-it').first()
    await example.getByRole('button', { name: 'Try it' }).click()
    await example.getByLabel('API key').fill(platform.liveKey)
    await example.getByRole('button', { name: 'Run' }).click()
    await example.getByText('"totalCount": 24').waitFor()
    expect(await page.evaluate('JSON.stringify([localStorage, sessionStorage])')).not.toContain(
      platform.liveKey,
    )
  })

  test('the search finds a page without another server', async () => {
    await using visitor = await visit('/')
    const { page } = visitor
    await page.waitForLoadState('networkidle')
    await page.keyboard.press('/')
    await page.locator('#localsearch-input').fill('idempotency')
    await page.locator('.VPLocalSearchBox .result').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.pathname !== '/docs/')
  })

  test('an address that leads nowhere has 404 and a page that says so', async () => {
    const response = await fetch(`${address}/no-such-page`)
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('404')
  })

  test.each(Object.entries(looks))('breaks no rule of WCAG 2.2 AA, %s', async (_look, options) => {
    for (const path of [
      '/',
      '/storefront',
      '/architecture',
      '/errors',
      '/api/',
      '/api/catalog',
      '/decisions/',
      '/changelog',
    ]) {
      await using visitor = await visit(path, options)
      await visitor.page.waitForLoadState('networkidle')
      await accessible(visitor.page)
    }
  })
})
