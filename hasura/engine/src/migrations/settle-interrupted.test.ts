import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { followWithEvents } from '../events/engine-events.ts'
import { openWorkspace } from '../metadata-api/workspace.ts'
import { createMetadataStore } from '../storage/metadata-store.ts'
import { readCliState } from './catalog-state.ts'
import type { HasuraApi } from './hasura-api.ts'
import { migrate } from './migrate.ts'
import { workspaceApi } from './workspace-api.ts'

async function openApi(): Promise<{ readonly pool: pg.Pool; readonly api: HasuraApi }> {
  const database = await createTestDatabase()
  const pool = new pg.Pool({ connectionString: database.url })
  onTestFinished(async () => {
    await pool.end()
    await database.drop()
  })
  const store = createMetadataStore(pool)
  await store.prepare({ version: 3, sources: [{ name: 'default', kind: 'postgres', tables: [] }] })
  return { pool, api: workspaceApi(await openWorkspace(pool, store, followWithEvents(false))) }
}

async function oneMigration(up: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'migrations-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  await mkdir(join(directory, '1_step'))
  await writeFile(join(directory, '1_step/up.sql'), up)
  return directory
}

async function untilWaitingForAdvisoryLock(pool: pg.Pool): Promise<void> {
  for (;;) {
    const { rowCount } = await pool.query(
      "select from pg_locks where locktype = 'advisory' and not granted and database = (select oid from pg_database where datname = current_database())",
    )
    if (rowCount !== 0) return
    await sleep(10)
  }
}

test('waits for a file that an engine still runs, although the program that sent it is gone', async () => {
  const { pool, api } = await openApi()
  await pool.query('create table price (amount int); insert into price values (1)')
  const directory = await oneMigration('update price set amount = amount * 100')
  const options = { api, directory, database: 'default' }
  const lost: string[] = []
  const runSql = (_: string, sql: string): Promise<never> => {
    lost.push(sql)
    return Promise.reject(new Error('the connection is lost'))
  }
  await expect(migrate({ ...options, api: { ...api, runSql } })).rejects.toThrow('is lost')
  const slowEngine = await pool.connect()
  try {
    await slowEngine.query(`begin; ${lost.join()}`)
    const outcome = migrate(options)
    await untilWaitingForAdvisoryLock(pool)
    await slowEngine.query('commit')
    expect(await outcome).toEqual({ kind: 'migrated', steps: [] })
  } finally {
    slowEngine.release(true)
  }
  expect((await pool.query('select amount from price')).rows).toEqual([{ amount: 100 }])
  expect((await readCliState(api)).migrations).toEqual({ default: { '1': false } })
})

test('a file is not taken for one without effect because the metadata, in another database, mark it as running', async () => {
  const source = await openApi()
  const elsewhere = await openApi()
  const directory = await oneMigration('create table if not exists price (amount int)')
  const api = { metadata: elsewhere.api.metadata, runSql: source.api.runSql }
  const options = { api, directory, database: 'default' }
  const runSql = async (database: string, sql: string): Promise<unknown> => {
    await api.runSql(database, sql)
    throw new Error('killed')
  }
  await expect(migrate({ ...options, api: { ...api, runSql } })).rejects.toThrow('killed')
  await expect(migrate(options)).rejects.toThrow(/migration 1 \(step\) was interrupted/)
  expect((await readCliState(source.api)).migrations).toEqual({})
})
