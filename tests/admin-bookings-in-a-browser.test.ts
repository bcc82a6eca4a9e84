import type { Locator, Page } from 'playwright-core'
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
import { minutesOf } from '../admin/src/bookings/day-grid.ts'
import { mondayOf } from '../admin/src/format/shop-days.ts'
import { localMinute } from '../admin/src/format/shop-times.ts'
import { payload, succeeded } from './support/shop.ts'

interface Slot {
  readonly startTime: string
  readonly staffId: string
}

/** A free time as the shop's clocks show it. */
interface FreeTime extends Slot {
  readonly day: string
  /** After midnight. */
  readonly minute: number
}

interface Appointment extends Slot {
  readonly id: string
  readonly status: string
}

/** Pixels of a minute in the calendar. */
const scale = 1.1

/** Drags an appointment with the mouse. */
async function drag(page: Page, block: Locator, by: { readonly x: number; readonly y: number }) {
  await block.scrollIntoViewIfNeeded()
  const box = await block.boundingBox()
  if (box === null) throw new Error('the appointment is not in sight')
  const [x, y] = [box.x + 20, box.y + 10]
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + by.x / 2, y + by.y / 2, { steps: 4 })
  await page.mouse.move(x + by.x, y + by.y, { steps: 4 })
  await page.mouse.up()
}

/** Pixels from the left side of one element to that of another. */
async function across(from: Locator, to: Locator): Promise<number> {
  const [one, other] = [await from.boundingBox(), await to.boundingBox()]
  if (one === null || other === null) throw new Error('a column is not in sight')
  return other.x - one.x
}

describe.skipIf(skipsAdmin)(`bookings of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  let timeZone: string
  let people: readonly { readonly id: string; readonly name: string }[]
  let services: readonly { readonly id: string; readonly name: string }[]

  beforeAll(async () => {
    admin = await openAdminBrowser()
    const data = await stored<{
      bookingServices: { nodes: { id: string; name: string }[] }
      staffMembers: { nodes: { id: string; name: string }[] }
      merchantAccount: { settings: { timezone: string } }
    }>(
      `{ bookingServices(first: 50, filters: { active: true }) { nodes { id name } }
        staffMembers(first: 50) { nodes { id name } }
        merchantAccount { settings { timezone } } }`,
    )
    timeZone = data.merchantAccount.settings.timezone
    people = data.staffMembers.nodes
    services = data.bookingServices.nodes
  }, 600_000)
  afterAll(() => admin.stop())

  const stored = async <Data>(query: string): Promise<Data> => succeeded(await admin.owner<Data>(query))

  const appointments = async (): Promise<readonly Appointment[]> =>
    (
      await stored<{ appointments: { nodes: Appointment[] } }>(
        '{ appointments(first: 100, sortBy: CREATED_AT, sortOrder: DESC) { nodes { id startTime staffId status } } }',
      )
    ).appointments.nodes

  const booked = async () => (await appointments())[0]

  function freeTime({ startTime, staffId }: Slot): FreeTime {
    const local = localMinute(startTime, timeZone)
    return { startTime, staffId, day: local.slice(0, 10), minute: minutesOf(local.slice(11)) }
  }
  const nameOf = ({ staffId }: Slot) => people.find(({ id }) => id === staffId)?.name ?? staffId

  /** The first pair of free times of a service that fits, in the next weeks. */
  async function freePair(fits: (one: FreeTime, other: FreeTime) => boolean) {
    const from = new Date(Date.now() + 2 * 86_400_000).toISOString()
    const to = new Date(Date.now() + 20 * 86_400_000).toISOString()
    for (const service of services) {
      const { availability } = await stored<{ availability: Slot[] }>(
        `{ availability(serviceId: "${service.id}", from: "${from}", to: "${to}") { startTime staffId } }`,
      )
      const times = availability.map(freeTime)
      for (const one of times) {
        const other = times.find((each) => fits(one, each))
        if (other !== undefined) return { service, from: one, to: other }
      }
    }
    throw new Error('the demo shop has no such free times')
  }

  async function book(serviceId: string, { startTime, staffId }: Slot): Promise<Appointment> {
    const { customers } = await stored<{ customers: { nodes: { id: string }[] } }>(
      '{ customers(first: 1) { nodes { id } } }',
    )
    const input = { serviceId, startTime, staffId, customerId: customers.nodes[0]?.id }
    const created = payload(
      await admin.owner<Record<string, { appointment: Appointment; errors: [] }>>(
        `mutation ($input: CreateAppointmentInput!) {
          createAppointment(input: $input) {
            appointment { id startTime staffId status } errors { field message }
          }
        }`,
        { input },
      ),
    )
    return created.appointment
  }

  const whereOf = ({ startTime, staffId }: Slot) => `${startTime} ${staffId}`
  const whereIs = async ({ id }: Appointment) => {
    const { appointment } = await stored<{ appointment: Appointment }>(
      `{ appointment(id: "${id}") { id startTime staffId status } }`,
    )
    return whereOf(appointment)
  }

  const block = (within: Page | Locator, serviceName: string) =>
    within.getByRole('button', { name: new RegExp(`· ${serviceName}`) }).first()

  test('books a free time, drags it to another one, takes that back, and moves it by keyboard', async () => {
    const {
      service: { name: serviceName },
      from: free,
    } = await freePair(
      (one, other) =>
        one.staffId === other.staffId &&
        Date.parse(other.startTime) - Date.parse(one.startTime) === 3_600_000,
    )
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
    await block(page, serviceName).waitFor()
    const before = await booked()
    expect(before?.startTime).toBe(free.startTime)

    await drag(page, block(page, serviceName), { x: 0, y: 60 * scale })
    await page.getByText(/appointment is moved/).waitFor()
    const hourLater = new Date(Date.parse(before?.startTime ?? '') + 3_600_000).getTime()
    expect(Date.parse((await booked())?.startTime ?? '')).toBe(hourLater)
    await picture(page, 'admin-bookings')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await booked())?.startTime).toBe(before?.startTime)

    await block(page, serviceName).focus()
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

  test('moves an appointment to another time and to another person by dragging it in the day', async () => {
    const { service, from, to } = await freePair(
      (one, other) =>
        one.day === other.day &&
        one.staffId !== other.staffId &&
        other.minute - one.minute > 0 &&
        other.minute - one.minute <= 120,
    )
    const appointment = await book(service.id, from)
    await using visitor = await admin.enter(`bookings?day=${from.day}`)
    const { page } = visitor
    const columnOf = (slot: Slot) => page.getByRole('region', { name: nameOf(slot), exact: true })
    await block(columnOf(from), service.name).waitFor()
    await drag(page, block(columnOf(from), service.name), {
      x: await across(columnOf(from), columnOf(to)),
      y: (to.minute - from.minute) * scale,
    })
    await page.getByText(/appointment is moved/).waitFor()
    expect(await whereIs(appointment)).toBe(whereOf(to))
    await block(columnOf(to), service.name).waitFor()
    expect(await block(columnOf(from), service.name).count()).toBe(0)
  })

  test('shows a week, and moves an appointment to another day of it by dragging and by keyboard', async () => {
    const { service, from, to } = await freePair(
      (one, other) =>
        one.staffId === other.staffId &&
        one.day < other.day &&
        mondayOf(one.day) === mondayOf(other.day) &&
        Math.abs(other.minute - one.minute) <= 120,
    )
    const appointment = await book(service.id, from)
    await using visitor = await admin.enter(`bookings?day=${from.day}`)
    const { page } = visitor
    await page.getByRole('link', { name: `${nameOf(from)}: the week` }).click()
    await page.getByRole('region', { name: 'Plan of the week' }).waitFor()
    expect(new URL(page.url()).searchParams.get('of')).toBe(from.staffId)
    const title = (slot: Slot) =>
      new Intl.DateTimeFormat('en-US', { timeZone, weekday: 'short', day: 'numeric', month: 'short' }).format(
        new Date(slot.startTime),
      )
    const columnOf = (slot: Slot) => page.getByRole('region', { name: title(slot), exact: true })
    await block(columnOf(from), service.name).waitFor()
    await drag(page, block(columnOf(from), service.name), {
      x: await across(columnOf(from), columnOf(to)),
      y: (to.minute - from.minute) * scale,
    })
    await page.getByText(/appointment is moved/).waitFor()
    expect(await whereIs(appointment)).toBe(whereOf(to))
    await block(columnOf(to), service.name).waitFor()
    expect(await block(columnOf(from), service.name).count()).toBe(0)
    await picture(page, 'admin-bookings-week')

    await block(columnOf(to), service.name).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Day').fill(from.day)
    await dialog.getByLabel('Time').fill(localMinute(from.startTime, timeZone).slice(11))
    await dialog.getByRole('button', { name: 'Move' }).press('Enter')
    await block(columnOf(from), service.name).waitFor()
    expect(await whereIs(appointment)).toBe(whereOf(from))

    await page.getByRole('button', { name: 'The week after' }).click()
    await block(page, service.name).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'The week before' }).click()
    await page.getByRole('link', { name: `${title(from)}: the day` }).click()
    await page.getByRole('region', { name: 'Plan of the day' }).waitFor()
    expect(new URL(page.url()).searchParams.get('day')).toBe(from.day)
    await block(page, service.name).waitFor()
  })

  test.each(Object.entries(looks))('breaks no rule of accessibility: %s', async (_, look) => {
    await using visitor = await admin.enter('bookings', look)
    await accessiblePlaces(admin, visitor.page, ['bookings', 'bookings?by=resource', 'bookings/week'])
  })
})
