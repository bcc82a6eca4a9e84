import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type BaseBackup,
  basesFolder,
  type LocalPostgres,
  restoreCluster,
  startLocalPostgres,
  takeBackup,
} from '../index.ts'

const long = process.env['TEST_LONG'] !== undefined
const name = `a backup${long ? '' : ' (skipped: npm run test:long runs it)'}`

describe.skipIf(!long)(name, () => {
  let home: string
  let folder: string
  let server: LocalPostgres
  let client: pg.Client
  let backup: BaseBackup
  let password: string

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), "back up's 100% "))
    folder = join(home, 'backups')
    server = await startLocalPostgres({
      dataDir: join(home, 'old'),
      durable: false,
      archive: { folder, everySeconds: 60 },
    })
    password = await readFile(join(home, 'old/password'), 'utf8')
    client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(
      'CREATE TABLE note (id int PRIMARY KEY, at timestamptz NOT NULL DEFAULT clock_timestamp())',
    )
    await client.query('INSERT INTO note VALUES (1)')
    ;({ backup } = await takeBackup({ url: server.url, folder }))
  })
  afterAll(async () => {
    await client.end()
    await server.stop()
    rmSync(home, { recursive: true, force: true })
  })

  /** The notes of a restored cluster. */
  async function restored(name: string, { until, from = backup }: { until?: Date; from?: BaseBackup }) {
    const dataDir = join(home, name)
    await restoreCluster({ folder, backup: from, dataDir, password, until })
    const copy = await startLocalPostgres({ dataDir, durable: false })
    const reader = new pg.Client({ connectionString: copy.url })
    await reader.connect()
    try {
      const { rows } = await reader.query<{ id: number }>('SELECT id FROM note ORDER BY id')
      return rows.map(({ id }) => id)
    } finally {
      await reader.end()
      await copy.stop()
    }
  }

  test('restores what was committed up to the moment, and nothing later', async () => {
    await client.query('INSERT INTO note VALUES (2)')
    const { rows } = await client.query<{ now: Date }>('SELECT clock_timestamp() AS now FROM pg_sleep(0.002)')
    const until = rows[0]?.now
    if (until === undefined) throw new Error('no time')
    await client.query('SELECT pg_sleep(0.002)')
    await client.query('INSERT INTO note VALUES (3)')
    const switched = await client.query<{ name: string }>('SELECT pg_walfile_name(pg_switch_wal()) AS name')
    await expect
      .poll(() => readdirSync(join(folder, 'wal')), { timeout: 10_000 })
      .toContain(switched.rows[0]?.name)
    expect(await restored('to a moment', { until })).toEqual([1, 2])
  })

  test('refuses a moment after the end of the archive, and leaves no cluster', async () => {
    const dataDir = join(home, 'too late')
    const until = new Date(Date.now() + 3_600_000)
    await expect(restoreCluster({ folder, backup, dataDir, password, until })).rejects.toThrow(
      'The archive ends before',
    )
    expect(readdirSync(dataDir)).not.toContain('cluster')
  })

  test('that is damaged is refused', async () => {
    const { backup: second } = await takeBackup({ url: server.url, folder })
    writeFileSync(join(basesFolder(folder), second.name, 'cluster/PG_VERSION'), '17\n')
    const attempt = restoreCluster({ folder, backup: second, dataDir: join(home, 'damaged'), password })
    await expect(attempt).rejects.toThrow('PG_VERSION is not what was copied')
  })

  test('is refused while another one is being made, which is whole', async () => {
    let second: Promise<unknown> | undefined
    const { backup: first, removed } = await takeBackup({
      url: server.url,
      folder,
      keep: 1,
      addFiles: async () => {
        second = takeBackup({ url: server.url, folder })
        await expect(second).rejects.toThrow(`Process ${process.pid} is making a backup already`)
      },
    })
    expect(second).toBeDefined()
    expect(removed).toContain(backup.name)
    expect(await restored('while another was refused', { from: first })).toEqual([1, 2, 3])
    expect((await takeBackup({ url: server.url, folder })).backup.name).not.toBe(first.name)
  })

  test('can’t be taken of a server that archives nowhere', async () => {
    await expect(takeBackup({ url: server.url, folder: join(home, 'elsewhere') })).rejects.toThrow(
      'BACKUP_FOLDER',
    )
  })
})
