// The drill of docs/backup.md, by the commands that an operator runs: a backup while orders come in, the loss of the process and of
// the data folder, and restores to the last order and to a moment between two orders.
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PlatformProcess, type Ready } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { createCustomer, createOrder, createStockedProduct, type StockedProduct } from './support/shop.ts'

describe.skipIf(!longTests)(longTest('a backup'), { timeout: 240_000 }, () => {
  let platform: PlatformProcess
  let copy: PlatformProcess
  let folder: string
  let env: Readonly<Record<string, string>>
  let ready: Ready
  let product: StockedProduct
  let customerId: string
  let between: Date
  const orderIds: string[] = []

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backups-'))
    env = { BACKUP_FOLDER: folder, BACKUP_ARCHIVE_SECONDS: '1' }
    platform = await PlatformProcess.create()
    copy = await PlatformProcess.create()
    ready = await platform.start(env)
    const client = createClient(ready.graphqlUrl, bearer(ready.liveKey))
    product = await createStockedProduct(client, 1_000)
    customerId = await createCustomer(client)
  })
  afterAll(async () => {
    await platform.remove()
    await copy.remove()
    await rm(folder, { recursive: true, force: true })
  })

  /** Runs a command of the platform on a data folder. */
  const run = (name: string, args: readonly string[], { dataDir } = platform) =>
    new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
      execFile(
        process.execPath,
        [`bin/${name}.ts`, ...args],
        {
          cwd: path.resolve(import.meta.dirname, '../platform'),
          env: { ...process.env, DATABASE_URL: '', DATA_DIR: dataDir, ...env },
        },
        (error, stdout, stderr) =>
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr }),
      )
    })

  async function order(): Promise<string> {
    const client = createClient(ready.graphqlUrl, bearer(ready.liveKey))
    const answer = await createOrder(client, customerId, [{ productId: product.id, quantity: 1 }])
    const id = answer.data?.createOrder?.order?.id
    if (id === undefined) throw new Error(`the order was refused: ${answer.text}`)
    orderIds.push(id)
    return id
  }

  async function ordersIn({ databaseUrl }: Ready): Promise<readonly string[]> {
    const sql = postgres(databaseUrl, { max: 1 })
    const rows = await sql<{ id: string }[]>`
      SELECT order_id AS id FROM ordering.product_order WHERE product_id = ${product.id} ORDER BY created_at, order_id`
    await sql.end()
    return rows.map(({ id }) => id)
  }

  test('is made while orders come in', async () => {
    const backup = run('backup', [])
    const ended = backup.then(() => true)
    while (!(await Promise.race([ended, order().then(() => false)])));
    const { code, output } = await backup
    expect(output).toContain('npm run restore can go to any moment')
    expect(code).toBe(0)
    expect(orderIds.length).toBeGreaterThan(1)
  })

  test('after a kill, with the lost folder at hand, brings back every order', async () => {
    await order()
    between = new Date()
    await order()
    await platform.kill()
    expect(await run('restore', [])).toMatchObject({
      code: 1,
      output: expect.stringContaining('--replace') as string,
    })
    const { code, output } = await run('restore', ['--replace'])
    expect(output).toContain('All rules of npm run verify hold.')
    expect(code).toBe(0)
    ready = await platform.start(env)
    expect(await ordersIn(ready)).toEqual(orderIds)
    expect((await run('verify', [])).code).toBe(0)
  })

  test('goes to a moment between two orders, in another folder', async () => {
    const { code, output } = await run('restore', ['--to', between.toISOString()], copy)
    expect(output).toContain('All rules of npm run verify hold.')
    expect(code).toBe(0)
    expect(await ordersIn(await copy.start())).toEqual(orderIds.slice(0, -1))
  })

  test('of the restored platform begins anew, and only the latest are kept', async () => {
    const before = await order()
    expect((await run('backup', ['--keep', '1'])).code).toBe(0)
    expect(await readdir(path.join(folder, 'base'))).toHaveLength(1)
    const after = await order()
    await platform.stop()
    expect((await run('restore', ['--replace'])).code).toBe(0)
    ready = await platform.start(env)
    expect(await ordersIn(ready)).toEqual(expect.arrayContaining([before, after]))
  })

  test('that is damaged changes nothing, and a repeated restore finds what was not archived, wherever it is', async () => {
    expect((await run('backup', ['--keep', '1'])).code).toBe(0)
    const archive = path.join(folder, 'wal')
    await rename(archive, `${archive}.away`)
    const last = await order()
    const readiness = async (): Promise<unknown> => (await fetch(new URL('/readyz', ready.graphqlUrl))).json()
    await expect.poll(readiness, { timeout: 30_000 }).toMatchObject({
      status: 'degraded',
      checks: { archive: expect.stringContaining('be archived to BACKUP_FOLDER') as string },
    })
    await platform.kill()
    await rename(`${archive}.away`, archive)
    const postgresDir = path.join(platform.dataDir, 'postgres')
    const databases = async () =>
      (await readdir(platform.dataDir)).filter((name) => /^(postgres|restoring)/.test(name))
    const before = await databases()
    const [name = ''] = await readdir(path.join(folder, 'base'))
    const file = path.join(folder, 'base', name, 'cluster/PG_VERSION')
    const whole = await readFile(file)
    await writeFile(file, '17\n')
    expect(await run('restore', ['--replace'])).toMatchObject({
      code: 1,
      output: expect.stringMatching(/is there as before[^]*PG_VERSION is not what was copied/) as string,
    })
    expect(await databases()).toEqual(before)
    await writeFile(file, whole)
    // What a restore of an earlier release left.
    await rename(postgresDir, `${postgresDir}.before-2999-01-01`)
    await mkdir(path.join(postgresDir, 'cluster.restoring/pg_wal'), { recursive: true })
    expect((await run('restore', ['--replace'])).code).toBe(0)
    ready = await platform.start(env)
    expect(await ordersIn(ready)).toContain(last)
  })

  test('is refused for a moment before the first one, and for one that nothing was archived of', async () => {
    const early = await run('restore', ['--to', '2026-01-01T00:00:00Z'], copy)
    expect(early).toMatchObject({
      code: 1,
      output: expect.stringContaining('no backup from before') as string,
    })
    await copy.stop()
    const late = await run('restore', ['--replace', '--to', '2999-01-01T00:00:00Z'], copy)
    expect(late).toMatchObject({
      code: 1,
      output: expect.stringContaining('The archive ends before') as string,
    })
  })
})
