import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  type BaseBackup,
  type LocalPostgres,
  restoreCluster,
  startLocalPostgres,
  takeBackup,
} from '../index.ts'

const long = process.env['TEST_LONG'] !== undefined
const name = `an archive after restores${long ? '' : ' (skipped: npm run test:long runs it)'}`

describe.skipIf(!long)(name, () => {
  let home: string
  let folder: string
  const running = new Set<LocalPostgres>()

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'timelines-'))
    folder = join(home, 'backups')
  })
  afterEach(async () => {
    for (const server of running) await stop(server)
    rmSync(home, { recursive: true, force: true })
  })

  /** Starts the server of a data folder with the archive. */
  async function start(name: string): Promise<LocalPostgres> {
    const server = await startLocalPostgres({
      dataDir: join(home, name),
      durable: false,
      archive: { folder, everySeconds: 60 },
    })
    running.add(server)
    return server
  }

  async function stop(server: LocalPostgres): Promise<void> {
    running.delete(server)
    await server.stop()
  }

  async function query<Row extends pg.QueryResultRow>(server: LocalPostgres, statement: string) {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    try {
      return (await client.query<Row>(statement)).rows
    } finally {
      await client.end()
    }
  }

  async function note(server: LocalPostgres, text: string): Promise<void> {
    await query(server, 'CREATE TABLE IF NOT EXISTS note (body text NOT NULL)')
    await query(server, `INSERT INTO note VALUES ('${text}')`)
  }

  const notes = async (server: LocalPostgres) =>
    (await query<{ body: string }>(server, 'SELECT body FROM note')).map(({ body }) => body)

  /** Archives the log up to now. Answers how often that failed. */
  async function archived(server: LocalPostgres): Promise<number> {
    const [switched] = await query<{ segment: string }>(
      server,
      'SELECT pg_walfile_name(pg_switch_wal()) AS segment',
    )
    const stats = async () =>
      (
        await query<{ done: string | null; failures: string }>(
          server,
          'SELECT last_archived_wal AS done, failed_count AS failures FROM pg_stat_archiver',
        )
      )[0]
    await expect
      .poll(async () => {
        const found = await stats()
        return (found?.done ?? '') >= (switched?.segment ?? '-') || Number(found?.failures) > 0
      })
      .toBe(true)
    return Number((await stats())?.failures)
  }

  /** A server that has a backup, and a note after it in the archive; it is stopped. */
  async function backedUp(): Promise<BaseBackup> {
    const server = await start('first')
    await note(server, 'in the backup')
    const { backup } = await takeBackup({ url: server.url, folder })
    await note(server, 'after the backup')
    expect(await archived(server)).toBe(0)
    await stop(server)
    return backup
  }

  const restore = (backup: BaseBackup, name: string, options: { until?: Date; timeline?: number } = {}) =>
    restoreCluster({
      folder,
      backup,
      dataDir: join(home, name),
      password: readFileSync(join(home, 'first/password'), 'utf8'),
      ...options,
    })

  test('a second restore of a backup follows the first one, and archives beside it', async () => {
    const backup = await backedUp()
    await restore(backup, 'second')
    const second = await start('second')
    await note(second, 'after the restore')
    expect(await archived(second)).toBe(0)
    await stop(second)
    await restore(backup, 'third')
    const third = await start('third')
    expect(await notes(third)).toEqual(['in the backup', 'after the backup', 'after the restore'])
    await note(third, 'after both')
    expect(await archived(third)).toBe(0)
    await stop(third)
    await restore(backup, 'fourth', { timeline: 1 })
    const fourth = await start('fourth')
    expect(await notes(fourth)).toEqual(['in the backup', 'after the backup'])
    expect(await archived(fourth)).toBe(0)
  })

  test('of two servers restored from it, takes the log of the first that starts', async () => {
    const backup = await backedUp()
    await restore(backup, 'second')
    await restore(backup, 'third')
    const second = await start('second')
    expect(await archived(second)).toBe(0)
    await stop(second)
    await expect(start('third')).rejects.toThrow('has the log of another database')
    const again = await start('second')
    await note(again, 'later')
    expect(await archived(again)).toBe(0)
  })

  test('refuses a copy while the server that it was restored from goes on', async () => {
    const backup = await backedUp()
    await restore(backup, 'copy')
    const first = await start('first')
    await note(first, 'meanwhile')
    expect(await archived(first)).toBe(0)
    await expect(start('copy')).rejects.toThrow('Another server has written to')
    expect(readdirSync(join(folder, 'wal')).filter((name) => name.endsWith('.history'))).toEqual([])
    await stop(first)
    await restore(backup, 'successor')
    expect(await notes(await start('successor'))).toContain('meanwhile')
  })

  test('that a copy has joined takes no further backup of the first server, until the copy’s files are gone', async () => {
    const backup = await backedUp()
    await restore(backup, 'copy')
    await stop(await start('copy'))
    const first = await start('first')
    await expect(takeBackup({ url: first.url, folder })).rejects.toThrow('remove the files 00000002*')
    const wal = join(folder, 'wal')
    for (const name of readdirSync(wal).filter((name) => name.startsWith('00000002'))) rmSync(join(wal, name))
    expect((await takeBackup({ url: first.url, folder })).backup.firstWal).toMatch(/^00000001/)
  })

  test('refuses a new database beside the log of another one', async () => {
    await backedUp()
    await expect(start('new')).rejects.toThrow('has the log of another database')
  })
})
