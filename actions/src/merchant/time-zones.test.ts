import { isTimeZone } from '@commerce-graph/contract/input'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestShop, type TestShop } from '../testing/test-shop.ts'

let shop: TestShop
beforeAll(async () => {
  shop = await openTestShop()
})
afterAll(() => shop.close())

const taken = (name: string) =>
  shop.database<{ taken: boolean }[]>`SELECT platform.is_time_zone(${name}) AS taken`.then(
    ([row]) => row?.taken,
  )

test('the database takes the zones that Node knows, and no abbreviation or rule of Postgres’ own', async () => {
  const zones = await shop.database<{ name: string; taken: boolean }[]>`
    SELECT name, platform.is_time_zone(name) AS taken FROM pg_timezone_names
    WHERE name !~ '^(posix|right)/' AND name NOT IN ('Factory', 'localtime', 'posixrules')`
  expect(zones.length).toBeGreaterThan(400)
  expect(zones.filter(({ name, taken: isTaken }) => isTaken !== isTimeZone(name))).toEqual([])
})

test.each(['MSK', 'FOO3', 'UTC+3', 'Foo/Bar3', '<+03>-3', 'posix/Europe/Berlin', '', 'Mars/Olympus'])(
  'the database does not take %s',
  async (name) => expect(await taken(name)).toBe(false),
)

test.each(['europe/berlin', 'UTC', 'Etc/GMT-14', 'America/Argentina/Buenos_Aires', 'Japan'])(
  'the database takes %s',
  async (name) => expect(await taken(name)).toBe(true),
)
