import { temporaryStorage } from '@commerce-graph/file-storage/testing'
import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres, { type Sql } from '@commerce-graph/postgres-driver'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { archiveCheck, archiveMetrics } from '../src/archive-health.ts'
import { diskCheck, eventsCheck, filesCheck, jobsCheck, writesCheck } from '../src/readiness-checks.ts'

const { signal } = new AbortController()
let database: TestDatabase
let sql: Sql
beforeAll(async () => {
  database = await createTestDatabase()
  sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  await sql`CREATE SCHEMA hdb_catalog`
  await sql`
    CREATE TABLE hdb_catalog.event_log (
      created_at timestamp, delivered boolean DEFAULT false, error boolean DEFAULT false, archived boolean DEFAULT false)`
})
afterAll(async () => {
  await sql.end()
  await database.drop()
})

test('a database that refuses writes is a problem, and the check leaves a database unchanged', async () => {
  expect(await writesCheck(sql).find(signal)).toEqual({})
  expect(await writesCheck(sql).find(signal)).toEqual({})
  expect(await sql`SELECT FROM pg_class WHERE relname = 'write_probe'`).toHaveLength(0)
  await sql`SET default_transaction_read_only = on`
  await expect(writesCheck(sql).find(signal)).rejects.toThrow('read-only transaction')
  await sql`SET default_transaction_read_only = off`
})

test('a late job is named, and every job shows its last run', async () => {
  const run = { failedAt: null, failure: null, succeededAt: '2026-11-22T10:00:00Z' }
  const jobRuns = () =>
    Promise.resolve([
      { ...run, job: 'expire-points', late: false },
      { ...run, job: 'purge-expired', late: true },
    ])
  expect(await jobsCheck({ jobRuns }).find(signal)).toEqual({
    problem: 'late: purge-expired',
    details: { 'expire-points': { ...run, late: false }, 'purge-expired': { ...run, late: true } },
  })
})

test('events that wait for more than a minute are a problem, at Hasura or in their queue', async () => {
  const queued = { waiting: 0, oldest: 0, failed: 2 }
  const find = (waiting = queued) =>
    eventsCheck(sql, { waitingEvents: () => Promise.resolve(waiting) }).find(signal)
  expect(await find()).toEqual({
    problem: undefined,
    details: { undelivered: 0, queued: 0, failed: 2, oldest: 0 },
  })
  expect(await find({ waiting: 3, oldest: 90, failed: 0 })).toMatchObject({
    problem: '3 events wait, the oldest for 90 s',
  })
  await sql`INSERT INTO hdb_catalog.event_log (created_at) VALUES (now() AT TIME ZONE 'UTC' - interval '200 seconds')`
  expect((await find()).problem).toMatch(/^1 events wait, the oldest for 20\d s$/)
})

test('files that the database lists and the storage does not have are a problem', async () => {
  await sql`CREATE SCHEMA files`
  await sql`CREATE TABLE files.own_url (url text)`
  await sql`CREATE TABLE files.file (status text, purpose text, url text, released_at timestamptz DEFAULT now())`
  await sql`INSERT INTO files.own_url VALUES ('http://127.0.0.1/files')`
  const { storage, remove } = temporaryStorage()
  const find = () => filesCheck(sql, storage).find(signal)
  expect(await find()).toEqual({ problem: undefined })
  for (const name of ['a', 'b'])
    await sql`INSERT INTO files.file VALUES ('READY', 'IMAGE', ${`http://127.0.0.1/files/m/public/t/${name}`})`
  await storage.put('m/public/t/a', Readable.from([Buffer.from('x')]), { contentType: 'image/webp' })
  expect((await find()).problem).toMatch(/^1 of the 2 latest files are not in the storage/)
  await storage.put('m/public/t/b', Readable.from([Buffer.from('x')]), { contentType: 'image/webp' })
  expect(await find()).toEqual({ problem: undefined })
  await remove()
})

test('the free space is reported', async () => {
  const { details } = await diskCheck(tmpdir()).find(signal)
  expect(details?.['freeMegabytes']).toBeGreaterThan(0)
})

test('a log that can’t be archived is a problem until it is', async () => {
  await using cleanUp = new AsyncDisposableStack()
  const home = await mkdtemp(join(tmpdir(), 'archived-'))
  cleanUp.defer(() => rm(home, { recursive: true, force: true }))
  const folder = join(home, 'backups')
  const server = await startLocalPostgres({
    dataDir: join(home, 'data'),
    durable: false,
    archive: { folder, everySeconds: 60 },
  })
  cleanUp.defer(() => server.stop())
  const archived = postgres(server.url, { max: 1 })
  cleanUp.defer(() => archived.end())
  const problem = async () => (await archiveCheck(archived).find(signal)).problem
  const failing = async () => (await archiveMetrics(archived).read()).commerce_archive_failing
  const write = async () => {
    await archived`SELECT pg_logical_emit_message(false, 'test', 'written')`
    await archived`SELECT pg_switch_wal()`
  }
  await write()
  expect(await problem()).toBeUndefined()
  await rm(join(folder, 'wal'), { recursive: true })
  await write()
  await expect
    .poll(problem)
    .toMatch(/^the log can't be archived to BACKUP_FOLDER: 0000000100000000000000\w\w waits/)
  expect(await failing()).toEqual([{ value: 1 }])
  await mkdir(join(folder, 'wal'))
  // Postgres tries again when it has another segment.
  await write()
  await expect.poll(problem).toBeUndefined()
  expect(await failing()).toEqual([{ value: 0 }])
})
