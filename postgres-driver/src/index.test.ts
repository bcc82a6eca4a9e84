import { startLocalPostgres } from '@commerce-graph/local-postgres'
import { createTestDatabase, type TestDatabase } from '@commerce-graph/local-postgres/testing'
import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { once } from 'node:events'
import { findPackageJSON } from 'node:module'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import postgres, { type TransactionSql } from '@commerce-graph/postgres-driver'

const back = () => 'back'
const away = () => 'away'
const packageFolder = path.resolve(import.meta.dirname, '..')

/** What `npm ci --ignore-scripts` installs: the driver's files as published, with this package beside them. */
function installed(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'driver-'))
  const driver = path.dirname(found(findPackageJSON('postgres', import.meta.url)))
  cpSync(driver, path.join(folder, 'node_modules/postgres'), { recursive: true })
  cpSync(path.join(packageFolder, 'src'), path.join(folder, 'src'), { recursive: true })
  cpSync(path.join(packageFolder, 'package.json'), path.join(folder, 'package.json'))
  return folder
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the driver is not installed')
  return value
}

/** The program's transaction sends another statement after its connection has ended, as when Postgres restarts. */
const program = (driver: string) => `
  import postgres from '${driver}'
  const sql = postgres(process.env.DATABASE_URL, { max: 2, onnotice() {} })
  const lost = await sql.begin(async (transaction) => {
    const [{ pid }] = await transaction\`select pg_backend_pid() as pid\`
    await sql\`select pg_terminate_backend(\${pid})\`
    while ((await sql\`select from pg_stat_activity where pid = \${pid}\`).length > 0);
    await new Promise((resolve) => setTimeout(resolve, 50))
    await transaction\`select 1\`
  }).then(() => 'nothing', (error) => error.code)
  await new Promise((resolve) => setTimeout(resolve, 100))
  console.log('lost', lost, 'then', (await sql\`select 1 as one\`)[0].one)
  await sql.end()
`

const singleStatement = (driver: string) => `
  import postgres from '${driver}'
  const sql = postgres(process.env.DATABASE_URL, { max: 1, onnotice() {} })
  console.log('lost', await sql\`select 1\`.then(() => 'nothing', (error) => error.code))
  await sql.end()
`

/**
 * Passes the start of a connection through, and resets it when the driver sends its first statement (the one about
 * types).
 */
async function startResettingProxy(databaseUrl: string) {
  const target = new URL(databaseUrl)
  const server = createServer((client) => {
    const upstream = connect({ host: target.hostname, port: Number(target.port) })
    let isReady = false
    upstream.on('data', (data) => {
      isReady ||= data.includes(Buffer.from('Z\0\0\0\u0005I'))
      client.write(data)
    })
    client.on('data', (data) => {
      if (isReady) client.resetAndDestroy()
      else upstream.write(data)
    })
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => undefined)
      one.on('close', () => other.destroy())
    }
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, close: () => server.close() }
}

describe('in a process of its own, from an install without scripts', () => {
  let database: TestDatabase
  let folder: string
  beforeAll(async () => {
    database = await createTestDatabase()
    folder = installed()
  })
  afterAll(async () => {
    await database.drop()
    rmSync(folder, { recursive: true, force: true })
  })
  const run = async (source: string, databaseUrl = database.url) => {
    const file = path.join(folder, 'program.mjs')
    writeFileSync(file, source)
    return promisify(execFile)(process.execPath, [file], { env: { DATABASE_URL: databaseUrl } })
  }

  test('a transaction whose connection is gone fails, and the pool goes on', async () => {
    expect((await run(program('./src/index.mjs'))).stdout).toMatch(
      /^lost (CONNECTION_CLOSED|ECONNRESET) then 1\n$/,
    )
  })

  test('the published driver ends the process in the same case', async () => {
    await expect(run(program('postgres'))).rejects.toThrow("Cannot read properties of null (reading 'write')")
  })

  test('a statement fails when its connection ends before it is sent; the published driver ends the process', async () => {
    const proxy = await startResettingProxy(database.url)
    try {
      expect((await run(singleStatement('./src/index.mjs'), proxy.url)).stdout).toBe('lost ECONNRESET\n')
      await expect(run(singleStatement('postgres'), proxy.url)).rejects.toThrow('ECONNRESET')
    } finally {
      proxy.close()
    }
  })

  test('another version of the driver is refused at the start, and the error names what is missing in it', async () => {
    const file = path.join(folder, 'node_modules/postgres/src/connection.js')
    const other = mkdtempSync(path.join(tmpdir(), 'driver-'))
    cpSync(folder, other, { recursive: true })
    writeFileSync(file.replace(folder, other), 'export default class Connection {}\n')
    const started = promisify(execFile)(process.execPath, [path.join(other, 'src/index.mjs')])
    await expect(started).rejects.toThrow('is not that of the version which postgres-driver corrects')
    rmSync(other, { recursive: true, force: true })
  })
})

test('a statement of a lost transaction never runs on the session that takes its connection over', async () => {
  const database = await createTestDatabase()
  const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
  const other = postgres(database.url, { max: 1, onnotice: () => undefined })
  try {
    await sql`create table entry (side text)`
    const transfer = async (transaction: TransactionSql) => {
      await transaction`insert into entry values ('debit')`
      const [session] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`
      await other`select pg_terminate_backend(${found(session).pid})`
      // The pool's only connection has been replaced by a new session.
      await expect.poll(() => sql`select`.then(back, away)).toBe('back')
      await transaction`insert into entry values ('credit')`
    }
    const work = Promise.withResolvers<unknown>()
    const outcome = sql.begin((transaction) => transfer(transaction).finally(() => work.resolve(undefined)))
    await expect(outcome).rejects.toThrow()
    await work.promise
    expect(await other`select side from entry`).toEqual([])
  } finally {
    await Promise.all([sql.end(), other.end()])
    await database.drop()
  }
})

test('one statement after the other uses one connection, and transactions too, though the pool has more', async () => {
  const database = await createTestDatabase()
  const sql = postgres(database.url, { max: 4, onnotice: () => undefined })
  try {
    const opened = Array.from({ length: 4 }, () => sql`select pg_sleep(0.1), pg_backend_pid() as pid`)
    expect(new Set((await Promise.all(opened)).map(([row]) => row?.['pid'] as number)).size).toBe(4)
    const used = new Set<unknown>()
    for (let statement = 0; statement < 4; statement += 1) {
      used.add((await sql`select pg_backend_pid() as pid`)[0]?.['pid'])
      await sql.begin(async (own) => used.add((await own`select pg_backend_pid() as pid`)[0]?.['pid']))
    }
    expect(used.size).toBe(1)
  } finally {
    await sql.end()
    await database.drop()
  }
})

test('a pool under load survives five restarts of Postgres without losing a connection', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'restarts-'))
  const start = () => startLocalPostgres({ dataDir, databases: ['load'] })
  let server = await start()
  const { port } = new URL(server.url)
  const sql = postgres(server.url, {
    max: 8,
    connect_timeout: 5,
    onnotice: () => undefined,
    backoff: () => 0.05,
  })
  let loading = true
  let failed = 0
  const write = async () => {
    while (loading) {
      const done = sql.begin(async (transaction) => {
        await transaction`select ${'a'.repeat(100)}::text`
        await Promise.all([transaction`select 1`, transaction`select 2`])
      })
      await done.catch(async () => {
        failed += 1
        await sleep(5)
      })
    }
  }
  const writers = Array.from({ length: 16 }, write)
  try {
    for (let restart = 1; restart <= 5; restart += 1) {
      await server.stop()
      server = await startLocalPostgres({ dataDir, databases: ['load'], port: Number(port) })
      await expect
        .poll(
          () =>
            sql`select`.then(
              () => 'back',
              () => 'away',
            ),
          { timeout: 20_000 },
        )
        .toBe('back')
    }
    loading = false
    await Promise.all(writers)
    expect(failed).toBeGreaterThan(0)
    // All eight connections work, at the same time.
    const sleeping = Array.from({ length: 8 }, () => sql`select pg_sleep(0.3), pg_backend_pid() as pid`)
    const pids = (await Promise.all(sleeping)).map(([row]) => row?.['pid'] as number)
    expect(new Set(pids).size).toBe(8)
  } finally {
    loading = false
    await sql.end({ timeout: 1 })
    await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}, 120_000)

test('a pool that was busy once closes the connections that it no longer needs', async () => {
  const { url, drop } = await createTestDatabase()
  const sql = postgres(url, { max: 5, idle_timeout: 1 })
  try {
    await Promise.all(Array.from({ length: 5 }, () => sql`select pg_sleep(0.1)`))
    // A statement now and then, which one connection is enough for.
    const open = async () =>
      (await sql`select from pg_stat_activity where datname = current_database()`).length
    expect(await open()).toBe(5)
    await expect.poll(open, { interval: 200, timeout: 10_000 }).toBe(1)
  } finally {
    await sql.end()
    await drop()
  }
})

test('one connection of a pool asks for the types of arrays, all read them, and the next after a lost one asks again', async () => {
  const { url, drop } = await createTestDatabase()
  let asked = 0
  const debug = (_connection: number, statement: string) => (asked += statement.includes('typarray') ? 1 : 0)
  const sql = postgres(url, { max: 4, debug, onnotice: () => undefined })
  const holder = postgres(url, { max: 1, onnotice: () => undefined })
  try {
    await sql`create type mood as enum ('calm')`
    await holder`select pg_advisory_lock(1)`
    const read = () => sql`
      select '{calm}'::text[] as texts, pg_advisory_xact_lock_shared(1), pg_backend_pid() as pid`
    const reading = Promise.all(Array.from({ length: 4 }, read))
    const waiting = () => holder`
      select from pg_stat_activity where datname = current_database() and wait_event = 'advisory'`
    await expect.poll(async () => (await waiting()).length).toBe(4)
    await holder`select pg_advisory_unlock(1)`
    const rows = (await reading).map(([row]) => row)
    expect(new Set(rows.map((row) => row?.['pid'] as number)).size).toBe(4)
    for (const row of rows) expect(row?.['texts']).toEqual(['calm'])
    expect(asked).toBe(1)
    await sql`select pg_terminate_backend(pg_backend_pid())`.catch(() => undefined)
    await holder`select pg_advisory_lock(1)`
    const readMood = () => sql`select '{calm}'::mood[] as moods, pg_advisory_xact_lock_shared(1)`
    const moods = Promise.all(Array.from({ length: 4 }, readMood))
    // The new connection has asked before its own statement waits.
    await expect.poll(async () => (await waiting()).length).toBe(4)
    await holder`select pg_advisory_unlock(1)`
    for (const [row] of await moods) expect(row?.['moods']).toEqual(['calm'])
    expect(asked).toBe(2)
  } finally {
    await Promise.all([sql.end(), holder.end()])
    await drop()
  }
})
