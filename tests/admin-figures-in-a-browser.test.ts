import type { Page, Route } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import {
  type AdminBrowser,
  looks,
  openAdminBrowser,
  skipsAdmin,
  whySkipped,
} from './support/admin-browser.ts'

const rows = 10_000
const pageSize = 50
/** Bytes of scripts that a person's first page may load. */
const most = 250_000
/** What Web Vitals call good. */
const mostMoved = 0.1

const orderPage = z.object({
  data: z.object({ orders: z.object({ nodes: z.array(z.record(z.string(), z.unknown())).min(1) }) }),
})

/** Answers the list of orders with pages of one order of the shop, each time with another number. */
async function standIn(page: Page): Promise<void> {
  let sample: Readonly<Record<string, unknown>> | undefined
  const answer = async (route: Route) => {
    const asked = z
      .object({ query: z.string(), variables: z.object({ after: z.string().nullish() }).optional() })
      .parse(route.request().postDataJSON())
    if (!asked.query.includes('query OrderList(')) return route.fallback()
    sample ??= orderPage.parse(await (await route.fetch()).json()).data.orders.nodes[0]
    const first = Number(asked.variables?.after ?? 0)
    const end = first + pageSize
    const nodes = Array.from({ length: pageSize }, (_, index) => ({
      ...sample,
      id: `stand-in-${first + index}`,
      orderNumber: `ROW-${first + index + 1}`,
    }))
    const pageInfo = { hasNextPage: end < rows, endCursor: String(end) }
    return route.fulfill({ json: { data: { orders: { totalCount: rows, nodes, pageInfo } } } })
  }
  await page.route('**/graphql', answer)
}

/** Scrolls by 400 pixels a frame until the last row is there. Resolves with the milliseconds of each frame, and the rows in the document. */
const scrollToTheEnd = `new Promise((resolve) => {
  const frames = []
  let most = 0
  let before
  const step = (now) => {
    if (before !== undefined) frames.push(now - before)
    before = now
    most = Math.max(most, document.querySelectorAll('.rows > [role=row]').length)
    scrollBy(0, 400)
    if (document.querySelector('[aria-rowindex="${rows + 1}"]')) resolve({ frames, most })
    else requestAnimationFrame(step)
  }
  requestAnimationFrame(step)
})`

const scrolled = z.object({ frames: z.array(z.number()).min(1), most: z.number() })

/** The scripts that the page has loaded since it was opened, from the cache as well. */
const loadedScripts = `[...new Map(
  performance.getEntriesByType('resource')
    .filter(({ name }) => name.endsWith('.js'))
    .map(({ name, encodedBodySize, decodedBodySize }) => [name, { encoded: encodedBodySize, decoded: decodedBodySize }]),
).values()]`

/** How much has moved since the page was opened: the parts of the screen and of its height, multiplied, in all. */
const shifts = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries().reduce((sum, { value }) => sum + value, 0)))
    .observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(0), 1_000)
})`

const loaded = z.array(z.object({ encoded: z.number().min(1), decoded: z.number() })).min(1)

describe.skipIf(skipsAdmin)(`figures of /admin in a browser${whySkipped}`, { timeout: 180_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

  test.each(['', 'orders', 'products', 'bookings'])(
    'sends the scripts of one page compressed, and not those of all: /%s',
    async (place) => {
      await using visitor = await admin.visit()
      const { page } = visitor
      await page.goto(`${admin.address}/${place}`)
      await page.getByLabel('E-mail').fill(admin.platform.userEmail)
      await page.getByLabel('Password').fill(admin.platform.userPassword)
      await page.getByLabel('Password').press('Enter')
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      const scripts = loaded.parse(await page.evaluate(loadedScripts))
      const bytes = scripts.reduce((sum, { encoded }) => sum + encoded, 0)
      console.log(`/admin/${place}: ${Math.round(bytes / 1_000)} kB of scripts`)
      for (const { encoded, decoded } of scripts) expect(encoded).toBeLessThan(decoded)
      expect(bytes).toBeLessThan(most)
    },
  )

  test.each(['', 'orders'])('moves next to nothing while the rest comes, on a phone: /%s', async (place) => {
    await using visitor = await admin.enter(place, looks.phone)
    const { page } = visitor
    await page.waitForLoadState('networkidle')
    const moved = z.number().parse(await page.evaluate(shifts))
    console.log(`/admin/${place}: layout shift ${moved.toFixed(3)}`)
    expect(moved).toBeLessThan(mostMoved)
  })

  // It takes as long as the machine takes to draw 1,500 frames.
  test(
    'has a screenful of rows in the document, however many are scrolled through',
    { timeout: 600_000 },
    async () => {
      await using visitor = await admin.enter('')
      const { page } = visitor
      await standIn(page)
      await page.goto(`${admin.address}/orders`)
      await page.getByRole('link', { name: 'ROW-1', exact: true }).waitFor()
      const paint = z
        .number()
        .parse(await page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime"))
      const { frames, most: inDocument } = scrolled.parse(await page.evaluate(scrollToTheEnd))
      const sorted = frames.toSorted((a, b) => a - b)
      const at = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
      console.log(
        `first contentful paint: ${Math.round(paint)} ms; ${rows} rows: ${at(0.5)} ms a frame in the median, ${at(0.95)} ms at the 95th percentile, ${inDocument} rows in the document`,
      )
      expect(inDocument).toBeLessThan(60)
    },
  )
})
