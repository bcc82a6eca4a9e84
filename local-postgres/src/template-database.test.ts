import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDatabaseFrom, type Template, testServerUrl } from './testing.ts'

async function query(url: string, statement: string): Promise<readonly unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

const templates = async (): Promise<readonly unknown[]> =>
  query(testServerUrl(), "select datname from pg_database where starts_with(datname, 'template_trial_')")

describe('createDatabaseFrom', () => {
  let folder: string
  let fills: number

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'template-'))
  })
  beforeEach(() => {
    fills = 0
  })
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true })
    for (const row of await templates())
      await query(testServerUrl(), `drop database ${(row as { datname: string }).datname}`)
  })

  const template = (content: string): Template => {
    writeFileSync(join(folder, 'content.sql'), content)
    return {
      name: 'trial',
      madeOf: [folder],
      fill: async (url) => {
        fills += 1
        await query(url, content)
      },
    }
  }

  test('fills a template once, and gives each caller a new copy', async () => {
    const trial = template('create table note as select 1 as n')
    const copies = await Promise.all([1, 2, 3].map(() => createDatabaseFrom(trial)))
    const [first, ...others] = copies
    await query(first?.url ?? '', 'update note set n = 2')
    for (const { url } of others) expect(await query(url, 'select n from note')).toEqual([{ n: 1 }])
    expect(fills).toBe(1)
    await Promise.all(copies.map((copy) => copy.drop()))
  })

  test('fills a new template when its files change, and drops the old one', async () => {
    const before = await createDatabaseFrom(template('create table note as select 3 as n'))
    const after = await createDatabaseFrom(template('create table note as select 4 as n'))
    expect(await query(before.url, 'select n from note')).toEqual([{ n: 3 }])
    expect(await query(after.url, 'select n from note')).toEqual([{ n: 4 }])
    expect(await templates()).toHaveLength(1)
    await Promise.all([before.drop(), after.drop()])
  })

  test('leaves no template that was filled halfway', async () => {
    const broken = template('create table note as select 5 as n; select nothing')
    await expect(createDatabaseFrom(broken)).rejects.toThrow('"nothing" does not exist')
    expect(await templates()).toEqual([])
  })
})
