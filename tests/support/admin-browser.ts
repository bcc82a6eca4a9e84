import { browserIsMissing, hasBrowser, openBrowser } from '@commerce-graph/gateway/testing/browser'
import axe from 'axe-core'
import path from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { expect } from 'vitest'
import { z } from 'zod'
import { bearer, type Client, createClient } from './graphql-client.ts'
import type { Person } from './invited-user.ts'
import { longTests } from './long-tests.ts'
import { startTestPlatform, type TestPlatform } from './test-platform.ts'

const missing = longTests ? browserIsMissing : 'npm run test:long runs it'

/** Whether there is no browser, or the run is a short one, and what a suite's name says about it then. */
export const skipsAdmin = !hasBrowser || !longTests
export const whySkipped = skipsAdmin ? ` (skipped: ${missing})` : ''

/** `ADMIN_PICTURES=docs/images` writes the pictures of the documentation there. */
const pictures = process.env['ADMIN_PICTURES']

/** WCAG 2.2 at the levels A and AA. */
const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']
const violation = z.object({
  id: z.string(),
  nodes: z.array(z.object({ html: z.string(), failureSummary: z.string().optional() })),
})

export const looks = {
  light: { colorScheme: 'light', viewport: { width: 1360, height: 850 } },
  dark: { colorScheme: 'dark', viewport: { width: 1360, height: 850 } },
  phone: { colorScheme: 'dark', viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true },
} as const satisfies Record<string, BrowserContextOptions>

export interface Visit extends AsyncDisposable {
  readonly page: Page
}

export interface AdminBrowser {
  readonly platform: TestPlatform
  /** Of `/admin`. */
  readonly address: string
  /** With the shop's own key. */
  readonly owner: Client
  /** At its end, the page has broken no rule of its policy, and shown no error of a script. */
  visit(options?: BrowserContextOptions): Promise<Visit>
  /** A visit of a person, the shop's owner unless told, at a place such as `products`. */
  enter(place: string, options?: BrowserContextOptions, person?: Person): Promise<Visit>
  stop(): Promise<void>
}

/**
 * A platform whose admin is built, and a browser.
 *
 * @param mail for tests that read the mails
 */
export async function openAdminBrowser(mail: { readonly smtpUrl?: string } = {}): Promise<AdminBrowser> {
  const platform = await startTestPlatform({ admin: {}, ...mail })
  const shopOwner = { email: platform.userEmail, password: platform.userPassword }
  const address = new URL('/admin', platform.graphqlUrl).href
  const browser = await openBrowser()
  await built(await (await browser.newContext()).newPage(), address)

  async function visit(options: BrowserContextOptions = looks.light): Promise<Visit> {
    const context = await browser.newContext({ locale: 'en-US', ...options })
    context.setDefaultTimeout(20_000)
    const page = await context.newPage()
    const faults: string[] = []
    page.on('pageerror', (error) => faults.push(String(error)))
    page.on('console', (message) => {
      if (/Content Security Policy|Trusted/.test(message.text())) faults.push(message.text())
    })
    await page.goto(address)
    return {
      page,
      async [Symbol.asyncDispose]() {
        await context.close()
        expect(faults).toEqual([])
      },
    }
  }

  return {
    platform,
    address,
    owner: createClient(platform.graphqlUrl, bearer(platform.liveKey)),
    visit,
    async enter(place, options, { email, password } = shopOwner) {
      const visitor = await visit(options)
      const { page } = visitor
      await page.getByLabel('E-mail').fill(email)
      await page.getByLabel('Password').fill(password)
      await page.getByLabel('Password').press('Enter')
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
      await page.goto(`${address}/${place}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      return visitor
    },
    async stop() {
      await browser.close()
      await platform.stop()
    },
  }
}

/** The first visit of a version shows how far its pages are, and goes on by itself. */
async function built(page: Page, address: string): Promise<void> {
  await page.goto(address)
  await page.getByRole('heading', { name: 'Preparing the admin' }).waitFor()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor({ timeout: 500_000 })
}

/** The page breaks no rule of WCAG 2.2 AA as it is now, and is no wider than the screen. */
export async function accessible(page: Page): Promise<void> {
  // What fades in has other colours until it is there.
  await page.evaluate(
    'Promise.all(document.getAnimations().filter(({ effect }) => effect.getComputedTiming().iterations !== Infinity).map(({ finished }) => finished))',
  )
  // The protocol of the browser's tools evaluates it outside of the page's policy.
  await page.evaluate(`${axe.source};0`)
  const found: unknown = await page.evaluate(
    `axe.run(document, { runOnly: ${JSON.stringify(rules)} }).then(({ violations }) => violations)`,
  )
  expect(z.array(violation).parse(found)).toEqual([])
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
}

/** As a person who comes back to the tab: what is older than some seconds is asked again then. */
export async function lookAgainUntil(page: Page, isSo: () => Promise<boolean>): Promise<void> {
  const comeBack = "document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))"
  await expect
    .poll(
      async () => {
        await page.evaluate(comeBack)
        return isSo()
      },
      { timeout: 40_000, interval: 500 },
    )
    .toBe(true)
}

/** Opens places and checks each. */
export async function accessiblePlaces(
  { address }: Pick<AdminBrowser, 'address'>,
  page: Page,
  places: readonly string[],
): Promise<void> {
  for (const place of places) {
    await page.goto(`${address}/${place}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.waitForLoadState('networkidle')
    await accessible(page)
  }
}

export async function picture(page: Page, name: string): Promise<void> {
  if (pictures === undefined) return
  await page.screenshot({ path: path.resolve(import.meta.dirname, '../..', pictures, `${name}.png`) })
}
