import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accessible,
  accessiblePlaces,
  type AdminBrowser,
  looks,
  openAdminBrowser,
  picture,
  skipsAdmin,
  whySkipped,
} from './support/admin-browser.ts'
import { succeeded } from './support/shop.ts'

interface Slot {
  readonly startTime: string
  readonly staffId: string
}

describe.skipIf(skipsAdmin)(`bookings of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  let serviceName: string
  /** A day on which the service has free times, and its first one. */
  let free: { readonly day: string; readonly slots: readonly Slot[] }

  beforeAll(async () => {
    admin = await openAdminBrowser()
    const { bookingServices, merchantAccount } = await stored<{
      bookingServices: { nodes: { id: string; name: string }[] }
      merchantAccount: { settings: { timezone: string } }
    }>('{ bookingServices(first: 50) { nodes { id name } } merchantAccount { settings { timezone } } }')
    const from = new Date(Date.now() + 2 * 86_400_000).toISOString()
    const to = new Date(Date.now() + 20 * 86_400_000).toISOString()
    for (const { id, name } of bookingServices.nodes) {
      const { availability } = await stored<{ availability: Slot[] }>(
        `{ availability(serviceId: "${id}", from: "${from}", to: "${to}") { startTime staffId } }`,
      )
      const [first] = availability
      if (first === undefined) continue
      const dayOf = (iso: string) =>
        new Intl.DateTimeFormat('en-CA', { timeZone: merchantAccount.settings.timezone }).format(
          new Date(iso),
        )
      const day = dayOf(first.startTime)
      const slots = availability.filter(({ startTime }) => dayOf(startTime) === day)
      if (slots.length < 6) continue
      serviceName = name
      free = { day, slots }
      return
    }
    throw new Error('the demo shop has no free times')
  }, 600_000)
  afterAll(() => admin.stop())

  const stored = async <Data>(query: string): Promise<Data> => succeeded(await admin.owner<Data>(query))

  const booked = async () =>
    (
      await stored<{
        appointments: { nodes: { id: string; startTime: string; staffId: string; status: string }[] }
      }>(
        '{ appointments(first: 100, sortBy: CREATED_AT, sortOrder: DESC) { nodes { id startTime staffId status } } }',
      )
    ).appointments.nodes[0]

  const block = (page: Page) => page.getByRole('button', { name: new RegExp(`· ${serviceName}`) }).first()

  test('books a free time, drags it to another one, takes that back, and moves it by keyboard', async () => {
    await using visitor = await admin.enter(`bookings?day=${free.day}`)
    const { page } = visitor
    await page.getByRole('button', { name: 'New appointment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /Service/ }).click()
    await page.getByRole('option', { name: serviceName, exact: true }).click()
    await dialog.getByRole('button', { name: /Free time/ }).click()
    await page.getByRole('option').first().click()
    await dialog.getByRole('button', { name: /Customer/ }).click()
    await page.getByRole('option').first().click()
    await accessible(page)
    await dialog.getByRole('button', { name: 'Book', exact: true }).click()
    await page.getByText('The appointment is booked').waitFor()
    await block(page).waitFor()
    const before = await booked()
    expect(before?.startTime).toBe(free.slots[0]?.startTime)

    const box = await block(page).boundingBox()
    if (box === null) throw new Error('the appointment is not in sight')
    await page.mouse.move(box.x + 20, box.y + 10)
    await page.mouse.down()
    await page.mouse.move(box.x + 20, box.y + 40, { steps: 4 })
    // An hour is 66 pixels.
    await page.mouse.move(box.x + 20, box.y + 10 + 66, { steps: 4 })
    await page.mouse.up()
    await page.getByText(/appointment is moved/).waitFor()
    const hourLater = new Date(Date.parse(before?.startTime ?? '') + 3_600_000).getTime()
    expect(Date.parse((await booked())?.startTime ?? '')).toBe(hourLater)
    await picture(page, 'admin-bookings')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await booked())?.startTime).toBe(before?.startTime)

    await block(page).focus()
    await page.keyboard.press('Enter')
    await dialog.getByRole('heading').waitFor()
    await accessible(page)
    const time = dialog.getByLabel('Time')
    await time.fill('03:00')
    await dialog.getByRole('button', { name: 'Move' }).click()
    await dialog.locator('.fault, .notice').first().waitFor()
    await dialog.getByRole('button', { name: 'Call it off' }).click()
    await page.getByText(/appointment is changed/).waitFor()
    expect((await booked())?.status).toBe('CANCELLED')
  })

  test.each(Object.entries(looks))('breaks no rule of accessibility: %s', async (_, look) => {
    await using visitor = await admin.enter('bookings', look)
    await accessiblePlaces(admin, visitor.page, ['bookings', 'bookings?by=resource'])
  })
})
