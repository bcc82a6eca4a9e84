import { spawn } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { applyMetadata, applySeeds, diffMetadata, exportMetadata, migrate } from '../src/index.ts'
import { adminSecret, runEngine, type RunningEngine } from './running-engine.ts'

const root = join(import.meta.dirname, '../../..')
const metadata = join(root, 'metadata')

describe("with the platform's own project", () => {
  let engine: RunningEngine
  let directory: string

  beforeAll(async () => {
    engine = await runEngine()
    directory = mkdtempSync(join(tmpdir(), 'metadata-'))
    const migrations = join(root, 'migrations/default')
    const outcome = await migrate({ api: engine.api, directory: migrations, database: 'default' })
    if (outcome.kind !== 'migrated') throw new Error(JSON.stringify(outcome))
  })

  afterAll(async () => {
    await engine.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  const filesOf = (folder: string): Record<string, string> =>
    Object.fromEntries(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .sort()
        .map((path) => [path.slice(folder.length + 1), readFileSync(path, 'utf8')]),
    )

  test('applying what was exported changes nothing', async () => {
    expect(await applyMetadata(engine.api, metadata)).toEqual([])
    expect(await diffMetadata(engine.api, metadata)).toBe('')
    await exportMetadata(engine.api, directory)
    const exported = filesOf(directory)
    expect(await applyMetadata(engine.api, directory)).toEqual([])
    await exportMetadata(engine.api, directory)
    expect(filesOf(directory)).toEqual(exported)
    expect(await diffMetadata(engine.api, metadata)).toBe('')
  })

  test('exports exactly the files of metadata/', async () => {
    await exportMetadata(engine.api, directory)
    const exported = filesOf(directory)
    const written = filesOf(metadata)
    expect(Object.keys(exported)).toEqual(Object.keys(written))
    for (const file of ['actions.graphql', 'version.yaml', 'databases/default/tables/tables.yaml']) {
      expect(exported[file]).toBe(written[file])
    }
    // The engine decides the order of keys inside, so the content is compared.
    const actions = (files: Record<string, string>): unknown => parse(files['actions.yaml'] ?? '')
    expect(actions(exported)).toEqual(actions(written))
  })

  test('removes the file of a table that is no longer tracked', async () => {
    const stale = join(directory, 'databases/default/tables/public_gone.yaml')
    await exportMetadata(engine.api, directory)
    writeFileSync(stale, 'table: {name: gone, schema: public}\n')
    await exportMetadata(engine.api, directory)
    expect(Object.keys(filesOf(directory))).not.toContain('databases/default/tables/public_gone.yaml')
  })

  test('shows what applying would change, and reports what cannot be used', async () => {
    const changed = mkdtempSync(join(tmpdir(), 'metadata-'))
    cpSync(metadata, changed, { recursive: true })
    const file = join(changed, 'databases/default/tables/crm_customer.yaml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('  - name: addresses\n', '  - name: places\n'))
    const tables = join(changed, 'databases/default/tables/tables.yaml')
    writeFileSync(tables, `${readFileSync(tables, 'utf8')}- "!include public_nowhere.yaml"\n`)
    const nowhere = join(changed, 'databases/default/tables/public_nowhere.yaml')
    writeFileSync(nowhere, 'table:\n  name: nowhere\n  schema: public\n')
    const difference = await diffMetadata(engine.api, changed)
    expect(difference).toMatch(/^[-] +- name: addresses$/m)
    expect(difference).toMatch(/^[+] +- name: places$/m)
    expect(difference).toContain('--- /dev/null\n+++ project/databases/default/tables/public_nowhere.yaml')
    expect(await applyMetadata(engine.api, changed)).toMatchObject([
      { type: 'table', reason: expect.stringContaining('nowhere') as string },
    ])
    await applyMetadata(engine.api, metadata)
    rmSync(changed, { recursive: true })
  })

  test('seeds run in the order of their names, and a failure names the line', async () => {
    const seeds = mkdtempSync(join(tmpdir(), 'seeds-'))
    writeFileSync(join(seeds, '2.sql'), 'insert into seeded values (1);')
    writeFileSync(join(seeds, '1.sql'), 'create table seeded (id int);')
    const options = { api: engine.api, directory: seeds, database: 'default' }
    expect(await applySeeds(options)).toEqual({ kind: 'seeded', files: ['1.sql', '2.sql'] })
    writeFileSync(join(seeds, '3.sql'), '\n\ninsert into unseeded values (1);')
    expect(await applySeeds({ ...options, file: '3.sql' })).toMatchObject({
      kind: 'failed',
      files: [],
      failure: { file: join(seeds, '3.sql'), line: 3 },
    })
    rmSync(seeds, { recursive: true })
  })

  test('the command line prints what it did, or ends with 1 and prints the reason', async () => {
    const run = async (...args: string[]) => {
      const child = spawn(
        process.execPath,
        [join(root, 'hasura/cli/bin/hasura.ts'), '--endpoint', engine.url, ...args],
        { env: { ...process.env, HASURA_GRAPHQL_ADMIN_SECRET: adminSecret } },
      )
      const [out, error, code] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        new Promise((resolve) => child.once('close', resolve)),
      ])
      return { out, error, code }
    }
    expect(await run('migrate', 'status')).toMatchObject({
      code: 0,
      out: expect.stringContaining('1795219200000  applied      initial\n') as string,
    })
    expect(await run('metadata', 'diff')).toMatchObject({ code: 0, out: 'No difference\n' })
    expect(await run('migrate', 'apply', '--version', '7')).toEqual({
      code: 1,
      out: '',
      error: 'There is no migration with the version 7\n',
    })
    expect(await run('migrate', 'apply', '--up', '0')).toMatchObject({
      code: 1,
      error: expect.stringContaining('a number from 1 is expected') as string,
    })
    expect(await run('--admin-secret', 'wrong', 'migrate', 'status')).toMatchObject({ code: 1, out: '' })
  })
})
