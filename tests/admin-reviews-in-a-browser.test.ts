import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accessible,
  accessiblePlaces,
  type AdminBrowser,
  looks,
  openAdminBrowser,
  skipsAdmin,
  whySkipped,
} from './support/admin-browser.ts'
import { succeeded } from './support/shop.ts'

describe.skipIf(skipsAdmin)(`reviews and e-mails of /admin${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  beforeAll(async () => {
    admin = await openAdminBrowser()
  }, 600_000)
  afterAll(() => admin.stop())

  test.each(Object.entries(looks))('break no rule of WCAG 2.2 AA, %s', async (_look, options) => {
    await using visitor = await admin.enter('reviews', options)
    const { page } = visitor
    await page.getByText('Arrived with a chip in the rim.').waitFor()
    await accessible(page)
    await accessiblePlaces(admin, page, ['emails', 'emails/ORDER_SHIPPED'])
  })

  test('a review that waits is shown, and the decision taken back', async () => {
    await using visitor = await admin.enter('reviews')
    const { page } = visitor
    const status = async () =>
      succeeded(
        await admin.owner<{ reviews: { nodes: { status: string }[] } }>(
          '{ reviews(filters: { rating: 2 }) { nodes { status } } }',
        ),
      ).reviews.nodes.map((review) => review.status)
    await page.getByText('Arrived with a chip in the rim.').waitFor()
    await page.getByRole('button', { name: 'Show it', exact: true }).click()
    await page.getByRole('heading', { name: 'Nothing to look at' }).waitFor()
    expect(await status()).toEqual(['APPROVED'])
    await page.goto(`${admin.address}/reviews?status=all`)
    const review = page.getByRole('listitem').filter({ hasText: 'Arrived with a chip in the rim.' })
    await review.getByRole('button', { name: 'Undo' }).click()
    await review.getByText('To look at').waitFor()
    expect(await status()).toEqual(['PENDING'])
  })

  test('own words for a kind of e-mail: an unknown name is refused, a preview has sample data, and the built-in ones come back', async () => {
    await using visitor = await admin.enter('emails')
    const { page } = visitor
    await page.getByRole('link', { name: 'An order is cancelled' }).click()
    const subject = page.getByLabel('Subject')
    const builtIn = await subject.inputValue()
    await subject.fill('Off it goes: {{nothing.there}}')
    await page.getByRole('button', { name: 'Save' }).click()
    await page
      .getByText(/nothing\.there/)
      .first()
      .waitFor()
    await subject.fill('Off it goes: {{order.number}}')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page
      .getByRole('region', { name: 'Preview' })
      .getByRole('heading', { name: /Off it goes: [^{]/ })
      .waitFor()
    const address = admin.platform.userEmail
    await page.getByRole('button', { name: `Send a test to ${address}` }).click()
    await page.getByText(`A test with sample data is on its way to ${address}`).waitFor()
    const { emailDeliveries } = succeeded(
      await admin.owner<{ emailDeliveries: { nodes: { recipient: string; isTest: boolean }[] } }>(
        '{ emailDeliveries(first: 1, filters: { kind: ORDER_CANCELLED }) { nodes { recipient isTest } } }',
      ),
    )
    expect(emailDeliveries.nodes).toEqual([{ recipient: address, isTest: true }])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).waitFor()
    const { emailTemplate } = succeeded(
      await admin.owner<{ emailTemplate: { subject: string } }>(
        '{ emailTemplate(kind: ORDER_CANCELLED) { subject } }',
      ),
    )
    expect(emailTemplate.subject).toBe('Off it goes: {{order.number}}')
    await page.getByRole('button', { name: 'Back to the built-in words' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Back to the built-in words' }).click()
    await expect.poll(() => subject.inputValue()).toBe(builtIn)
  })
  test('the preview of an e-mail has its own styles and runs none of its scripts, on a wide screen, on a phone and as text', async () => {
    await using visitor = await admin.enter('emails/ORDER_SHIPPED')
    const { page } = visitor
    const mail = page.frameLocator('iframe')
    await mail.getByText('has left us with UPS').waitFor()
    await page
      .getByLabel('With formatting (HTML)')
      .fill(
        '<style>.big { font-size: 41px }</style><p class="big" style="color: rgb(1, 2, 3)">Gone: {{order.number}}</p>' +
          '<a href="https://elsewhere.example/">Track it</a><script>parent.document.title = "taken"</script>' +
          '<img src="data:," onerror="parent.document.title = \'taken\'">',
      )
    await page.getByRole('button', { name: 'Preview' }).click()
    const words = mail.getByText(/^Gone: ORD-/)
    await words.waitFor()
    const shown = await page.evaluate(`(() => {
      const { contentDocument, clientWidth } = document.querySelector('iframe')
      const { color, fontSize } = getComputedStyle(contentDocument.querySelector('p'))
      return { color, fontSize, clientWidth, title: document.title.includes('taken') }
    })()`)
    expect(shown).toMatchObject({ color: 'rgb(1, 2, 3)', fontSize: '41px', title: false })
    await mail.getByText('Track it').click()
    await words.waitFor()
    await page.getByRole('radio', { name: 'On a phone' }).click()
    expect(await page.evaluate('document.querySelector("iframe").clientWidth')).toBeLessThanOrEqual(375)
    await accessible(page)
    await page.getByRole('radio', { name: 'Without formatting' }).click()
    await page.getByRole('region', { name: 'Preview' }).getByText('See you outside!').waitFor()
  })
})
