import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CommandLine, openCommandLine } from '../test/command-line.ts'

let commandLine: CommandLine
let merchantId: string

beforeAll(async () => {
  commandLine = await openCommandLine('verify')
  const [row] = await commandLine.sql<{ id: string }[]>`
    INSERT INTO merchant.merchant (name, email) VALUES ('Shop', 'shop@example.com') RETURNING id`
  merchantId = row?.id ?? ''
  await commandLine.sql`INSERT INTO catalog.category (merchant_id, name, slug) VALUES (${merchantId}, 'Tents', 'tents')`
})
afterAll(() => commandLine[Symbol.asyncDispose]())

test('an intact database ends with 0 and tells each rule', async () => {
  const { code, stdout } = await commandLine.run([])
  expect(stdout).toMatch(/^stock_ledger +ok +\d+ ms$/m)
  expect(stdout).toMatch(/^All \d+ rules hold\.$/m)
  expect(code).toBe(0)
})

test('a disagreement ends with 1 and names rule, merchant and record', async () => {
  await commandLine.sql`SET session_replication_role = replica`
  await commandLine.sql`UPDATE catalog.category SET level = 3`
  await commandLine.sql`RESET session_replication_role`
  const { code, stdout } = await commandLine.run(['--merchant', merchantId])
  expect(stdout).toMatch(/^category_levels +1 disagree/m)
  expect(stdout).toMatch(`merchant ${merchantId}, `)
  expect(stdout).toMatch(/^1 of \d+ rules are broken\.$/m)
  expect(code).toBe(1)
  const asJson = await commandLine.run(['--json', '--show', '1'])
  const lines = asJson.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { rule: string; disagreements: number })
  expect(lines.filter(({ disagreements }) => disagreements > 0)).toMatchObject([
    { rule: 'category_levels', disagreements: 1 },
  ])
  expect((await commandLine.run(['--merchant', '01a1f000-0000-7000-8000-000000000099'])).code).toBe(0)
})

test('a database that was never migrated ends with 2 rather than with no rule broken', async () => {
  const { code, stdout, stderr } = await commandLine.run([], {
    DATABASE_URL: new URL('/postgres', commandLine.databaseUrl).href,
  })
  expect(stderr).toContain('run npm run migrate')
  expect(stdout).not.toContain('rules hold')
  expect(code).toBe(2)
})

test('a wrong value ends with 2 rather than with 1, which says that something disagrees', async () => {
  expect((await commandLine.run(['--merchant', 'Old Mill'])).code).toBe(2)
})

test('with --json, what could not be checked is a line of JSON, too', async () => {
  const { code, stdout, stderr } = await commandLine.run(['--json'], {
    DATABASE_URL: new URL('/postgres', commandLine.databaseUrl).href,
  })
  expect(JSON.parse(stdout)).toEqual({
    error: { code: 'FAILED', message: expect.stringContaining('npm run migrate') as string },
  })
  expect({ code, stderr }).toEqual({ code: 2, stderr: '' })
})

test('a database that can’t be read ends with 2', async () => {
  const { code, stderr } = await commandLine.run([], { DATABASE_URL: 'postgres://127.0.0.1:1/nothing' })
  expect(stderr).not.toBe('')
  expect(code).toBe(2)
})
