import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { freePorts, startLocalPostgres, type LocalPostgres, type LocalPostgresOptions } from './index.ts'
import { createTestDatabase } from './testing.ts'

async function query(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows
  } finally {
    await client.end()
  }
}

describe('startLocalPostgres', () => {
  let dataDir: string
  const running: LocalPostgres[] = []

  const start = async (options: Partial<LocalPostgresOptions> = {}): Promise<LocalPostgres> => {
    const server = await startLocalPostgres({ dataDir, durable: false, ...options })
    running.push(server)
    return server
  }

  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'local-postgres-'))
  })

  afterEach(async () => {
    for (const server of running.splice(0)) await server.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  test.each(['', '{"shop":', 'null'])(
    'gives logins new passwords when their file is damaged: %j',
    async (damage) => {
      const logins = [{ name: 'shop', groups: [] }]
      const first = await start({ logins })
      await first.stop()
      writeFileSync(join(dataDir, 'logins.json'), damage)
      const second = await start({ logins })
      expect(await query(second.urlOf('shop'), 'select current_user::text as login')).toEqual([
        { login: 'shop' },
      ])
      expect(JSON.parse(readFileSync(join(dataDir, 'logins.json'), 'utf8'))).toHaveProperty('shop')
    },
  )

  test('keeps the data over a restart, in UTF-8 and UTC', async () => {
    const first = await start({ databases: ['shop'] })
    await query(first.url, "create table note as select 'Łódź' as body")
    await first.stop()
    const second = await start({ databases: ['shop'] })
    expect(await query(second.url, 'select body from note')).toEqual([{ body: 'Łódź' }])
    expect(
      await query(
        second.url,
        "select current_database() as database, current_setting('TimeZone') as zone, current_setting('server_encoding') as encoding",
      ),
    ).toEqual([{ database: 'shop', zone: 'UTC', encoding: 'UTF8' }])
  })

  test('refuses connections without the password, which only the owner of the data folder can read', async () => {
    const server = await start()
    const url = new URL(server.url)
    url.password = 'guess'
    await expect(query(url.href, 'select 1')).rejects.toThrow('password authentication failed')
    expect(statSync(join(dataDir, 'password')).mode & 0o777).toBe(0o600)
  })

  test('refuses a second server on one data folder and names the process that uses it', async () => {
    await start()
    await expect(start()).rejects.toThrow(`is in use by process ${process.pid}`)
  })

  test('refuses a busy port with its number, before it touches any data', async () => {
    const port = await freePorts(1)
    const squatter = createServer().listen(port, '127.0.0.1')
    await once(squatter, 'listening')
    await expect(start({ port })).rejects.toThrow(`Port ${port}`)
    expect(existsSync(join(dataDir, 'cluster'))).toBe(false)
    squatter.close()
  })

  test('refuses the data of another major version and says what to do', async () => {
    await (await start()).stop()
    writeFileSync(join(dataDir, 'cluster/PG_VERSION'), '16\n')
    await expect(start()).rejects.toThrow(/written by PostgreSQL 16.*pg_dump/)
  })

  test('starts although a killed server left a process id that another process has now', async () => {
    await (await start()).stop()
    writeFileSync(join(dataDir, 'cluster/postmaster.pid'), `${process.pid}\n${dataDir}\n`)
    const server = await start()
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('starts again after an interrupted initialization', async () => {
    await (await start()).stop()
    rmSync(join(dataDir, 'cluster/PG_VERSION'))
    renameSync(join(dataDir, 'cluster'), join(dataDir, 'cluster.new'))
    const server = await start()
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  test('ends with the process that started it, even by kill -9, and keeps committed data', async () => {
    const program = `
      import { startLocalPostgres } from ${JSON.stringify(join(import.meta.dirname, 'index.ts'))}
      const { url } = await startLocalPostgres({ dataDir: ${JSON.stringify(dataDir)} })
      console.log(url)
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [line] = (await once(child.stdout, 'data')) as [Buffer]
    const url = line.toString().trim()
    await query(url, 'create table kept as select 7 as n')
    const pid = Number.parseInt(readFileSync(join(dataDir, 'cluster/postmaster.pid'), 'utf8'), 10)
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
    const server = await start()
    expect(await query(server.url, 'select n from kept')).toEqual([{ n: 7 }])
    for (let waited = 0; isRunning(pid) && waited < 5000; waited += 50) await sleep(50)
    expect(isRunning(pid)).toBe(false)
  })

  test('reports a server that ends unexpectedly', async () => {
    const server = await start()
    const pid = Number.parseInt(readFileSync(join(dataDir, 'cluster/postmaster.pid'), 'utf8'), 10)
    process.kill(pid, 'SIGKILL')
    expect(await server.exit).toMatchObject({ kind: 'crashed' })
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('createTestDatabase', () => {
  test('copies a template and drops the copy, even with open connections', async () => {
    const template = await createTestDatabase()
    await query(template.url, 'create table t as select 1 as n')
    const copy = await createTestDatabase({ template: template.name })
    const client = new pg.Client({ connectionString: copy.url })
    client.on('error', () => undefined)
    await client.connect()
    expect((await client.query('select n from t')).rows).toEqual([{ n: 1 }])
    await copy.drop()
    await template.drop()
    await expect(query(copy.url, 'select 1')).rejects.toThrow('does not exist')
  })
})
