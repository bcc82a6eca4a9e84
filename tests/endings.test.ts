import { freePorts } from '@commerce-graph/local-postgres'
import { createTestDatabase } from '@commerce-graph/local-postgres/testing'
import postgres from '@commerce-graph/postgres-driver'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { PlatformProcess } from '@commerce-graph/platform/testing'
import { createDemoDatabase } from './support/demo-database.ts'
import { longTest, longTests } from './support/long-tests.ts'

describe('the process', { timeout: 180_000 }, () => {
  const made: PlatformProcess[] = []
  const create = async () => {
    const platform = await PlatformProcess.create()
    made.push(platform)
    return platform
  }
  afterEach(async () => {
    for (const platform of made.splice(0)) {
      await platform.kill()
      await platform.remove()
    }
  })

  test('ends at once on a second signal while it waits', async () => {
    const database = await createTestDatabase()
    const holder = postgres(database.url, { max: 1 })
    try {
      // The lock that a migrating process holds.
      await holder`SELECT pg_advisory_lock(7267481001)`
      const platform = await create()
      const child = platform.launch({ DATABASE_URL: database.url })
      const ended = once(child, 'exit')
      await expect
        .poll(() => platform.output, { timeout: 30_000 })
        .toContain('Another process prepares the database')
      child.kill('SIGTERM')
      await expect.poll(() => platform.output, { timeout: 10_000 }).toContain('Finishing the start')
      // npm, the terminal and the runner repeat a signal within a second.
      await sleep(1_100)
      child.kill('SIGTERM')
      expect(await ended).toEqual([1, null])
    } finally {
      await holder.end()
      await database.drop()
    }
  })

  test.skipIf(!longTests)(longTest('reports a missing Redis if one is configured, and ends'), async () => {
    const database = await createDemoDatabase()
    const platform = await create()
    const port = await freePorts(1)
    const start = platform.start({ DATABASE_URL: database.url, REDIS_URL: `redis://127.0.0.1:${port}` })
    await expect(start).rejects.toThrow(/ended with 1:[^]*REDIS_URL can't be used: .*ECONNREFUSED/)
    await database.drop()
  })

  test.skipIf(!longTests)(
    longTest('can start three times at once on an empty database, and all three become ready'),
    async () => {
      const database = await createTestDatabase()
      const platforms = await Promise.all([create(), create(), create()])
      const env = {
        DATABASE_URL: database.url,
        ENCRYPTION_KEYS: `a:${Buffer.alloc(32, 7).toString('base64')}`,
      }
      const ready = await Promise.all(platforms.map((platform) => platform.start(env)))
      expect(ready).toHaveLength(3)
      for (const platform of platforms) {
        // It is printed a moment after ready.json is written.
        await expect.poll(() => platform.output).toContain('Commerce Graph is running')
        await platform.stop()
      }
      await database.drop()
    },
  )

  test.skipIf(!longTests)(
    longTest('reports a database of another version and how to replace it, and does not change it'),
    async () => {
      const database = await createDemoDatabase()
      const platform = await create()
      const sql = postgres(database.url, { max: 1 })
      try {
        const changed = await sql<{ name: string }[]>`
        UPDATE platform.applied_migration SET content_hash = 'other' WHERE name LIKE '%\\_initial' RETURNING name`
        await expect(platform.start({ DATABASE_URL: database.url })).rejects.toThrow(
          new RegExp(`made by another version[^]*${changed[0]?.name} said something else[^]*npm run reset`),
        )
        await sql`DROP TABLE platform.applied_migration`
        await expect(platform.start({ DATABASE_URL: database.url })).rejects.toThrow(
          /made by another version[^]*before migrations were recorded[^]*npm run reset/,
        )
        expect(await sql`SELECT FROM merchant.merchant`).not.toHaveLength(0)
      } finally {
        await sql.end()
        await database.drop()
      }
    },
  )

  test.skipIf(!longTests)(
    longTest('reports a database that another user has made and how to replace it'),
    async () => {
      const database = await createTestDatabase()
      const platform = await create()
      const sql = postgres(database.url, { max: 1, onnotice: () => undefined })
      try {
        await sql`CREATE SCHEMA hdb_catalog`
        await sql`
        DO $$ BEGIN CREATE ROLE test_newcomer LOGIN CREATEROLE PASSWORD 'of-a-test';
        EXCEPTION WHEN unique_violation OR duplicate_object THEN NULL; END $$`
        await sql`GRANT CREATE ON DATABASE ${sql(database.name)} TO test_newcomer`
        const url = new URL(database.url)
        Object.assign(url, { username: 'test_newcomer', password: 'of-a-test' })
        await expect(platform.start({ DATABASE_URL: url.href })).rejects.toThrow(
          /ended with 1:[^]*The schema hdb_catalog belongs to \w+, and test_newcomer may not change it[^]*npm run reset/,
        )
      } finally {
        await sql.end()
        await database.drop()
      }
    },
  )

  test.skipIf(!longTests)(
    longTest('and its folder are gone when the benchmark that started them is ended'),
    async () => {
      const script = `
        import { PlatformProcess } from '@commerce-graph/platform/testing'
        const platform = await PlatformProcess.create()
        const { pid } = await platform.start()
        console.log(JSON.stringify({ pid, folder: platform.dataDir }))
        setInterval(() => undefined, 1_000)`
      const benchmark = spawn(process.execPath, ['--input-type=module', '--eval', script], {
        cwd: import.meta.dirname,
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [line] = (await once(createInterface(benchmark.stdout), 'line')) as [string]
      const { pid, folder } = JSON.parse(line) as { pid: number; folder: string }
      expect(existsSync(folder)).toBe(true)
      const ended = once(benchmark, 'exit')
      benchmark.kill('SIGTERM')
      expect(await ended).toEqual([null, 'SIGTERM'])
      expect(existsSync(folder)).toBe(false)
      expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    },
  )

  test('ends with 1 after an error of its start that nothing expects, and logs it', async () => {
    const platform = await create()
    const breaking = encodeURIComponent("Promise.race = () => { throw new Error('nothing expects it') }")
    await expect(
      platform.start({ NODE_OPTIONS: `--import=data:text/javascript,${breaking}`, LOG_LEVEL: 'silent' }),
    ).rejects.toThrow(/ended with 1:[^]*nothing expects it/)
  })

  test('reports damaged secrets and that a backup is needed', async () => {
    const database = await createDemoDatabase()
    const platform = await create()
    writeFileSync(path.join(platform.dataDir, 'secrets.json'), 'not JSON')
    await expect(platform.start({ DATABASE_URL: database.url })).rejects.toThrow(
      /secrets.json is damaged. It holds the key[^]*restore it/,
    )
    expect(readFileSync(path.join(platform.dataDir, 'secrets.json'), 'utf8')).toBe('not JSON')
    await database.drop()
  })
})
