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
import { clock, minutesOf } from '../admin/src/bookings/day-grid.ts'
import { addDays, dayIn, startOfDay, startOfWeek } from '../admin/src/format/shop-days.ts'
import { succeeded } from './support/shop.ts'
import { type Appointment, ShopBookings, type Slot, slotText } from './support/shop-bookings.ts'

/** Pixels of a minute in the calendar. */
const scale = 1.1
/** In the region of these visits. */
const sundayFirst = 7

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

/** The times of a column that are shaded, by where the shading is drawn. */
async function shaded(page: Page, column: Locator): Promise<readonly string[]> {
  const first = minutesOf(await page.locator('.hours span').first().innerText())
  const top = (await column.getByRole('list').boundingBox())?.y ?? NaN
  const boxes = await Promise.all(
    (await column.locator('.off-hours').all()).map((each) => each.boundingBox()),
  )
  const time = (y: number) => clock(first + Math.round((y - top) / scale))
  return boxes.flatMap((box) => (box === null ? [] : [`${time(box.y)}–${time(box.y + box.height)}`]))
}

describe.skipIf(skipsAdmin)(`bookings of /admin in a browser${whySkipped}`, { timeout: 120_000 }, () => {
  let admin: AdminBrowser
  let shop: ShopBookings

  beforeAll(async () => {
    admin = await openAdminBrowser()
    shop = await ShopBookings.of(admin.owner)
  }, 600_000)
  afterAll(() => admin.stop())

  const stored = async <Data>(query: string): Promise<Data> => succeeded(await admin.owner<Data>(query))

  const whereIs = async (appointment: Appointment) => {
    const found = await shop.stored(appointment)
    return found && slotText(found)
  }

  const mondayIn = (weeks: number) => addDays(startOfWeek(dayIn(shop.timeZone), 1), 7 * weeks)

  const block = (within: Page | Locator, customer: string) =>
    within.getByRole('button', { name: new RegExp(`^${customer}`) })

  test('books a free time, drags it to another one, takes that back, and moves it by keyboard', async () => {
    const {
      service: { name: serviceName },
      from: free,
    } = await shop.freePair(
      (one, other) =>
        one.staffId === other.staffId &&
        Date.parse(other.startTime) - Date.parse(one.startTime) === 3_600_000,
    )
    const customer = 'Ada Booker'
    await shop.customer(customer)
    await using visitor = await admin.enter(`bookings?day=${free.day}`)
    const { page } = visitor
    await page.getByRole('button', { name: 'New appointment' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /Service/ }).click()
    await page.getByRole('option', { name: serviceName, exact: true }).click()
    await dialog.getByRole('button', { name: /Free time/ }).click()
    const freeTime = new Intl.DateTimeFormat('en-US', { timeZone: shop.timeZone, timeStyle: 'short' })
    await page
      .getByRole('option', { name: `${freeTime.format(new Date(free.startTime))} · ${shop.nameOf(free)}` })
      .click()
    await dialog.getByLabel('Search customers').fill('booker')
    await dialog.getByRole('button', { name: /Customer$/ }).click()
    await page.getByRole('option', { name: customer }).click()
    await accessible(page)
    await dialog.getByRole('button', { name: 'Book', exact: true }).click()
    await page.getByText('The appointment is booked').waitFor()
    await block(page, customer).waitFor()
    const before = await shop.stored()
    expect(before?.startTime).toBe(free.startTime)

    await drag(page, block(page, customer), { x: 0, y: 60 * scale })
    await page.getByText(/appointment is moved/).waitFor()
    const hourLater = new Date(Date.parse(before?.startTime ?? '') + 3_600_000).getTime()
    expect(Date.parse((await shop.stored())?.startTime ?? '')).toBe(hourLater)
    await picture(page, 'admin-bookings')
    await page.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(async () => (await shop.stored())?.startTime).toBe(before?.startTime)

    await block(page, customer).focus()
    await page.keyboard.press('Enter')
    await dialog.getByRole('heading').waitFor()
    await accessible(page)
    const time = dialog.getByLabel('Time')
    await time.fill('03:00')
    await dialog.getByRole('button', { name: 'Move' }).click()
    await dialog.locator('.fault, .notice').first().waitFor()
    await dialog.getByRole('button', { name: 'Call it off' }).click()
    await page.getByText(/appointment is changed/).waitFor()
    expect((await shop.stored())?.status).toBe('CANCELLED')
  })

  test('moves an appointment to another time and to another person by dragging it in the day', async () => {
    const { service, from, to } = await shop.freePair(
      (one, other) =>
        one.day === other.day &&
        one.staffId !== other.staffId &&
        other.minute - one.minute > 0 &&
        other.minute - one.minute <= 120,
    )
    const customer = 'Bo Booker'
    const appointment = await shop.book(service.id, from, customer)
    await using visitor = await admin.enter(`bookings?day=${from.day}`)
    const { page } = visitor
    const columnOf = (slot: Slot) => page.getByRole('region', { name: shop.nameOf(slot), exact: true })
    await block(columnOf(from), customer).waitFor()
    await drag(page, block(columnOf(from), customer), {
      x: await across(columnOf(from), columnOf(to)),
      y: (to.minute - from.minute) * scale,
    })
    await page.getByText(/appointment is moved/).waitFor()
    expect(await whereIs(appointment)).toBe(slotText(to))
    await block(columnOf(to), customer).waitFor()
    expect(await block(columnOf(from), customer).count()).toBe(0)

    await page.getByRole('button', { name: 'Undo' }).click()
    await block(columnOf(from), customer).waitFor()
    expect(await whereIs(appointment)).toBe(slotText(from))
  })

  test('shows a week, and moves an appointment to another day of it by dragging and by keyboard', async () => {
    const { service, from, to } = await shop.freePair(
      (one, other) =>
        one.staffId === other.staffId &&
        one.day < other.day &&
        startOfWeek(one.day, sundayFirst) === startOfWeek(other.day, sundayFirst) &&
        Math.abs(other.minute - one.minute) <= 120,
    )
    const customer = 'Cy Booker'
    const appointment = await shop.book(service.id, from, customer)
    await using visitor = await admin.enter(`bookings?day=${from.day}`)
    const { page } = visitor
    await page.getByRole('link', { name: `${shop.nameOf(from)}: the week` }).click()
    await page.getByRole('region', { name: 'Plan of the week' }).waitFor()
    expect(new URL(page.url()).searchParams.get('of')).toBe(from.staffId)
    const dates = new Intl.DateTimeFormat('en-US', {
      timeZone: shop.timeZone,
      weekday: 'short',
      day: 'numeric',
      month: 'short',
    })
    const title = (day: string) => dates.format(startOfDay(day, shop.timeZone))
    const columnOf = ({ day }: { readonly day: string }) =>
      page.getByRole('region', { name: title(day), exact: true })
    await block(columnOf(from), customer).waitFor()
    await drag(page, block(columnOf(from), customer), {
      x: await across(columnOf(from), columnOf(to)),
      y: (to.minute - from.minute) * scale,
    })
    await page.getByText(/appointment is moved/).waitFor()
    expect(await whereIs(appointment)).toBe(slotText(to))
    await block(columnOf(to), customer).waitFor()
    expect(await block(columnOf(from), customer).count()).toBe(0)
    await picture(page, 'admin-bookings-week')

    const sunday = startOfWeek(from.day, sundayFirst)
    expect(await shop.free(service.id, sunday, addDays(sunday, 1), from.staffId)).toEqual([])
    await drag(page, block(columnOf(to), customer), {
      x: await across(columnOf(to), columnOf({ day: sunday })),
      y: 0,
    })
    await page.locator('.notice.bad').waitFor()
    await accessible(page)
    expect(await whereIs(appointment)).toBe(slotText(to))

    await block(columnOf(to), customer).focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Day').fill(from.day)
    await dialog.getByLabel('Time').fill(clock(from.minute))
    await dialog.getByRole('button', { name: 'Move' }).press('Enter')
    await block(columnOf(from), customer).waitFor()
    expect(await whereIs(appointment)).toBe(slotText(from))

    await page.getByRole('button', { name: /Appointments of/ }).click()
    await page.getByRole('option', { name: 'Everybody' }).click()
    await columnOf(from)
      .getByRole('button', { name: new RegExp(`^${customer}.* · ${service.name}.* · ${shop.nameOf(from)}`) })
      .waitFor()
    expect(new URL(page.url()).searchParams.get('of')).toBeNull()

    await page.getByRole('button', { name: 'The week after' }).click()
    await block(page, customer).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'The week before' }).click()
    await page.getByRole('link', { name: `${title(from.day)}: the day` }).click()
    await page.getByRole('region', { name: 'Plan of the day' }).waitFor()
    expect(new URL(page.url()).searchParams.get('day')).toBe(from.day)
    await block(page, customer).waitFor()
  })

  test('shades when a person doesn’t work, in the day and the week, which begins as in the region', async () => {
    const dev = shop.staff.find(({ name }) => name === 'Dev Sandhu')?.id ?? ''
    // Later than the exceptions of the demo shop.
    const monday = mondayIn(5)
    const entry = async (type: string, startDate: string, startTime: string, endTime: string) =>
      succeeded(
        await admin.owner(
          'mutation ($input: CreateScheduleInput!) { createSchedule(input: $input) { errors { message } } }',
          { input: { staffId: dev, type, startDate, startTime, endTime } },
        ),
      )
    await entry('TIME_OFF', monday, '12:00', '13:30')
    await entry('EXTRA_HOURS', addDays(monday, 6), '10:00', '19:00')

    await using visitor = await admin.enter(`bookings?day=${monday}`)
    const { page } = visitor
    await page.getByText('Hatched: outside of the working hours').waitFor()
    const column = page.getByRole('region', { name: 'Dev Sandhu', exact: true })
    await column.getByText('Works 09:00–12:00, 13:30–17:00').waitFor()
    expect(await shaded(page, column)).toEqual(['08:00–09:00', '12:00–13:30', '17:00–19:00'])
    await accessible(page)

    await page.goto(`${admin.address}/bookings?day=${monday}&by=resource`)
    await page.getByRole('region', { name: 'Repair bench' }).waitFor()
    expect(await page.locator('.off-hours').count()).toBe(0)

    const weekOf = async (of: Page) => {
      await of.goto(`${admin.address}/bookings/week?day=${addDays(monday, 6)}&of=${dev}`)
      const days = of.locator('.day-column')
      await days.first().waitFor()
      return Promise.all((await days.all()).map((day) => shaded(of, day)))
    }
    const [extra, workday, free] = [['08:00–10:00'], ['08:00–09:00', '17:00–19:00'], ['08:00–19:00']]
    expect(await weekOf(page)).toEqual([extra, workday, workday, workday, workday, workday, free])
    await accessible(page)
    await using briton = await admin.enter('bookings', { ...looks.light, locale: 'en-GB' })
    const cut = ['08:00–09:00', '12:00–13:30', '17:00–19:00']
    expect(await weekOf(briton.page)).toEqual([cut, workday, workday, workday, workday, free, extra])
  })

  test('shows a hundred people of a day at once, and leads to the others', async () => {
    await using visitor = await admin.enter('bookings')
    const { page } = visitor
    const person = { active: true, timeZone: null, services: [], schedule: [] }
    const people = Array.from({ length: 130 }, (_, index) => ({
      ...person,
      id: `person-${index + 1}`,
      name: `Person ${index + 1}`,
    }))
    await page.route('**/graphql', (route) => {
      const { query, variables } = route.request().postDataJSON() as {
        query: string
        variables?: { after?: string | null }
      }
      if (!query.includes('query BookingStaff(')) return route.fallback()
      const isFirst = variables?.after == null
      const nodes = isFirst ? people.slice(0, 100) : people.slice(100)
      const pageInfo = { hasNextPage: isFirst, endCursor: 'hundred' }
      return route.fulfill({ json: { data: { staffMembers: { nodes, pageInfo } } } })
    })
    const columns = (count: number) =>
      expect.poll(() => page.locator('.day-column').count(), { timeout: 20_000 }).toBe(count)
    await page.goto(`${admin.address}/bookings`)
    await page.getByText('Columns 1 to 100 of 130').waitFor()
    await columns(100)
    await accessible(page)
    await page.getByRole('button', { name: 'The columns after' }).click()
    await page.getByText('Columns 101 to 130 of 130').waitFor()
    await columns(30)
    await page.getByRole('region', { name: 'Person 130', exact: true }).waitFor()
    await page.reload()
    await page.getByText('Columns 101 to 130 of 130').waitFor()
    await page.getByRole('button', { name: 'The columns before' }).click()
    await page.getByRole('region', { name: 'Person 1', exact: true }).waitFor()
  })

  test('adds a person with services and hours, who then can be booked, and is away on a day off', async () => {
    await using visitor = await admin.enter('bookings/staff')
    const { page } = visitor
    await page.getByRole('link', { name: 'New person' }).click()
    await page.getByLabel('Name').fill('Ida Winter')
    await page.getByLabel('E-mail').fill('RUTH@alderandpine.example')
    await page.getByText('Pack fitting', { exact: true }).click()
    const save = page.getByRole('button', { name: 'Save' })
    await save.click()
    await page.locator('.field .fault').waitFor()
    await accessible(page)
    await page.getByLabel('E-mail').fill('ida@alderandpine.example')
    await save.click()
    await page.getByRole('heading', { name: 'Ida Winter', level: 1 }).waitFor()
    const staffId = new URL(page.url()).pathname.split('/').at(-1) ?? ''

    await page.getByRole('button', { name: 'Add hours on Monday' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Begins').fill('10:00')
    await dialog.getByLabel('Ends').fill('09:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('.field .fault').waitFor()
    await accessible(page)
    await dialog.getByLabel('Ends').fill('12:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    const hours = page.getByRole('button', { name: 'Monday 10:00–12:00' })
    await hours.waitFor()

    const monday = mondayIn(2)
    const packFitting = shop.services.find(({ name }) => name === 'Pack fitting')?.id ?? ''
    const freeAt = async () =>
      (await shop.free(packFitting, monday, addDays(monday, 1), staffId)).map(({ minute }) => clock(minute))
    expect(await freeAt()).toEqual(['10:00', '10:15', '10:30', '10:45', '11:00', '11:15', '11:30'])

    await hours.click()
    await dialog.getByLabel('Begins').fill('22:00')
    await dialog.getByLabel('Ends').fill('00:00')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Monday 22:00–24:00' }).waitFor()
    expect((await freeAt()).at(-1)).toBe('23:30')

    await page.getByRole('button', { name: 'Add time off or extra hours' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.locator('.field .fault').waitFor()
    await dialog.getByLabel('First day').fill(monday)
    await dialog.getByRole('button', { name: 'Save' }).click()
    const edit = page.getByRole('button', { name: /^Edit: / })
    await edit.waitFor()
    expect(await freeAt()).toEqual([])
    await picture(page, 'admin-bookings-hours')

    await edit.click()
    await dialog.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Nothing is planned').waitFor()
    expect((await freeAt()).at(-1)).toBe('23:30')
  })

  const member = async (id: string) =>
    (
      await stored<{ staffMember: { name: string; phone: string | null; active: boolean } | null }>(
        `{ staffMember(id: "${id}") { name phone active } }`,
      )
    ).staffMember

  test('saves of a person what was changed alone, says who was quicker, archives, and refuses to delete', async () => {
    const ruth = shop.staff.find(({ name }) => name === 'Ruth Calder')?.id ?? ''
    await using visitor = await admin.enter('bookings/staff')
    const { page } = visitor
    await page.getByRole('link', { name: 'Ruth Calder' }).click()
    await page.getByLabel('Name').fill('Ruth Calder-Hale')
    succeeded(
      await admin.owner(
        'mutation ($id: ID!) { updateStaffMember(id: $id, input: { phone: "+1 541 555 0199" }) { errors { message } } }',
        { id: ruth },
      ),
    )
    await page.getByRole('button', { name: 'Add hours on Monday' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Somebody else has changed this').waitFor()
    await accessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Ruth Calder-Hale', level: 1 }).waitFor()
    expect(await member(ruth)).toEqual({ name: 'Ruth Calder-Hale', phone: '+1 541 555 0199', active: true })

    await page.getByRole('button', { name: 'Archive' }).click()
    await page.getByText('Archived', { exact: true }).waitFor()
    expect((await member(ruth))?.active).toBe(false)
    await page.getByRole('button', { name: 'Bring back' }).click()
    await page.getByText('Can be booked', { exact: true }).waitFor()
    expect((await member(ruth))?.active).toBe(true)

    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await member(ruth)).not.toBeNull()
  })

  test('adds a resource and a service that needs it, changes its terms of payment, and deletes it', async () => {
    await using visitor = await admin.enter('bookings/resources')
    const { page } = visitor
    const save = page.getByRole('button', { name: 'Save' })
    await page.getByRole('link', { name: 'New resource' }).click()
    await page.getByLabel('Name').fill('Steam box')
    await page.getByLabel('Kind of resource').fill('steam box')
    await save.click()
    await page.getByRole('heading', { name: 'Steam box', level: 1 }).waitFor()

    await page.goto(`${admin.address}/bookings/services`)
    await page.getByRole('link', { name: 'New service' }).click()
    await page.getByLabel('Name').fill('Felt hat shaping')
    const number = async (label: string, value: string) => {
      const field = page.getByRole('textbox', { name: label, exact: true })
      await field.fill(value)
      await field.blur()
    }
    await number('Price', '19.90')
    await number('steam box', '1')
    await page.getByRole('button', { name: /To pay beforehand/ }).click()
    await page.getByRole('option', { name: 'A deposit' }).click()
    await number('Deposit', '0')
    await save.click()
    await page.locator('.field .fault').waitFor()
    await accessible(page)
    await number('Deposit', '5')
    await save.click()
    await page.getByRole('heading', { name: 'Felt hat shaping', level: 1 }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
    const service = async () =>
      (
        await stored<{ bookingService: unknown }>(
          `{ bookingService(id: "${id}") {
            duration price paymentPolicy depositAmount depositPercent noShowFee resources { kind quantity }
          } }`,
        )
      ).bookingService
    const terms = { duration: 30, price: 1_990, noShowFee: null }
    expect(await service()).toEqual({
      ...terms,
      paymentPolicy: 'DEPOSIT',
      depositAmount: 500,
      depositPercent: null,
      resources: [{ kind: 'steam box', quantity: 1 }],
    })

    await page.getByRole('button', { name: /To pay beforehand/ }).click()
    await page.getByRole('option', { name: 'A part of the price' }).click()
    await number('Percent of the price', '20')
    await number('steam box', '0')
    await save.click()
    await expect.poll(service).toEqual({
      ...terms,
      paymentPolicy: 'DEPOSIT',
      depositAmount: null,
      depositPercent: 20,
      resources: [],
    })

    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Services', level: 1 }).waitFor()
    expect(await service()).toBeNull()
  })

  test.each(Object.entries(looks))('breaks no rule of accessibility: %s', async (_, look) => {
    await using visitor = await admin.enter('bookings', look)
    await accessiblePlaces(admin, visitor.page, [
      'bookings',
      'bookings?by=resource',
      'bookings/week',
      'bookings/services',
      `bookings/services/${shop.services[0]?.id}`,
      'bookings/staff',
      'bookings/staff/new',
      `bookings/staff/${shop.staff[0]?.id}`,
      'bookings/resources',
      'bookings/resources/new',
    ])
  })
})
