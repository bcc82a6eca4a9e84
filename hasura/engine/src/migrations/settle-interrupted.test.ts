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
import { migrate, type MigrateOptions } from './migrate.ts'
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

/** What a program sent that has lost its connection, so that it doesn't know whether the engine has got it. */
async function lostSql(options: MigrateOptions): Promise<string> {
  const lost: string[] = []
  const runSql = (database: string, sql: string): Promise<unknown> => {
    if (!sql.includes('update price')) return options.api.runSql(database, sql)
    lost.push(sql)
    return Promise.reject(new Error('the connection is lost'))
  }
  await expect(migrate({ ...options, api: { ...options.api, runSql } })).rejects.toThrow('is lost')
  return lost.join('')
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
  const sql = await lostSql(options)
  const slowEngine = await pool.connect()
  try {
    await slowEngine.query(`begin; ${sql}`)
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

test('a file that reaches Postgres only after a later run has settled it has no effect', async () => {
  const { pool, api } = await openApi()
  await pool.query('create table price (amount int); insert into price values (1)')
  const directory = await oneMigration('update price set amount = amount * 100')
  const options = { api, directory, database: 'default' }
  const sql = await lostSql(options)
  expect(await migrate(options)).toMatchObject({ kind: 'migrated', steps: { length: 1 } })
  await expect(pool.query(sql)).rejects.toThrow('another run has settled migration 1 meanwhile')
  expect((await pool.query('select amount from price')).rows).toEqual([{ amount: 100 }])
})

test('of two programs that run one file at a time, one fails, and the version stays recorded', async () => {
  const { pool, api } = await openApi()
  await pool.query('create table price (amount int); insert into price values (1)')
  const directory = await oneMigration('update price set amount = amount * 100')
  const options = { api, directory, database: 'default' }
  const runSql = async (database: string, sql: string): Promise<unknown> => {
    if (sql.includes('do $record_version$')) await api.runSql(database, sql)
    return api.runSql(database, sql)
  }
  expect(await migrate({ ...options, api: { ...api, runSql } })).toMatchObject({
    kind: 'failed',
    failure: { message: 'another run has settled migration 1 meanwhile' },
  })
  expect((await pool.query('select amount from price')).rows).toEqual([{ amount: 100 }])
  expect(await migrate(options)).toEqual({ kind: 'migrated', steps: [] })
})

test('a file is not taken for one without effect because the metadata, in another database, mark it as running', async () => {
  const source = await openApi()
  const elsewhere = await openApi()
  const directory = await oneMigration('create table if not exists price (amount int)')
  const api = { metadata: elsewhere.api.metadata, runSql: source.api.runSql }
  const options = { api, directory, database: 'default' }
  const runSql = async (database: string, sql: string): Promise<unknown> => {
    const answer = await api.runSql(database, sql)
    if (sql.includes('create table')) throw new Error('killed')
    return answer
  }
  await expect(migrate({ ...options, api: { ...api, runSql } })).rejects.toThrow('killed')
  await expect(migrate(options)).rejects.toThrow(/migration 1 \(step\) was interrupted/)
  expect((await readCliState(source.api)).migrations).toEqual({})
})
