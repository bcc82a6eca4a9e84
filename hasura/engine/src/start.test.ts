import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startEngine } from './index.ts'
import { runCommand } from './testing/run-command.ts'

let folder: string
let database: TestDatabase

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-start-'))
  database = await createTestDatabase()
})

afterEach(async () => {
  await rm(folder, { recursive: true })
  await database.drop()
})

async function write(file: string, content: string): Promise<void> {
  const path = join(folder, file)
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

/** Writes a project of hasura-cli: two migrations, a tracked table. */
async function writeProject(): Promise<{ metadata: string; migrations: string }> {
  await write(
    'migrations/default/1700000000000_author/up.sql',
    'create table author (id int primary key, name text)',
  )
  await write('migrations/default/1700000000001_rows/up.sql', "insert into author values (1, 'Ada')")
  await write('metadata/version.yaml', 'version: 3')
  await write(
    'metadata/databases/databases.yaml',
    `- name: default
  kind: postgres
  configuration: { connection_info: { database_url: { from_env: HASURA_GRAPHQL_DATABASE_URL } } }
  tables: "!include default/tables/tables.yaml"`,
  )
  await write('metadata/databases/default/tables/tables.yaml', '- "!include public_author.yaml"')
  await write(
    'metadata/databases/default/tables/public_author.yaml',
    'table: { schema: public, name: author }\nselect_permissions:\n  - role: reader\n    permission: { columns: [name], filter: {} }',
  )
  return { metadata: join(folder, 'metadata'), migrations: join(folder, 'migrations') }
}

async function ask(url: string | undefined, secret: string) {
  const answer = await fetch(`${url ?? ''}/v1/graphql`, {
    method: 'POST',
    headers: { 'x-hasura-admin-secret': secret, 'x-hasura-role': 'reader' },
    body: JSON.stringify({ query: '{ author { name } }' }),
  })
  return (await answer.json()) as unknown
}

async function failure(args: readonly string[], env: Record<string, string> = {}) {
  const { ended, errors } = await runCommand(args, env)
  return { code: await ended, errors: await errors }
}

describe('startEngine', () => {
  test('starts a Postgres of its own, applies migrations and metadata, and deletes all of it at the stop', async () => {
    const project = await writeProject()
    const engine = await startEngine({ ...project, adminSecret: 's', port: 0 })
    expect(await ask(engine.url, 's')).toEqual({ data: { author: [{ name: 'Ada' }] } })
    const client = new pg.Client({ connectionString: engine.databaseUrl })
    await client.connect()
    expect((await client.query('select name from author')).rows).toEqual([{ name: 'Ada' }])
    await client.end()
    await engine.stop()
    const gone = new pg.Client({ connectionString: engine.databaseUrl })
    await expect(gone.connect()).rejects.toThrow(/ECONNREFUSED/)
  })

  test('applies missing migrations once, and keeps the database’s metadata when none is given', async () => {
    const project = await writeProject()
    const databaseUrl = database.url
    await (await startEngine({ ...project, databaseUrl })).stop()
    await write('migrations/default/1700000000002_more/up.sql', "insert into author values (2, 'Bo')")
    const engine = await startEngine({
      migrations: project.migrations,
      databaseUrl,
      adminSecret: 's',
      port: 0,
    })
    expect(await ask(engine.url, 's')).toEqual({ data: { author: [{ name: 'Ada' }, { name: 'Bo' }] } })
    await engine.stop()
  })

  test('applies the migrations of a source of any name, and keeps a database’s old ones working', async () => {
    await write(
      'migrations/Postgres/1700000000000_author/up.sql',
      // Hasura creates the extension pgcrypto, which has this function, in that schema.
      "create table author (id uuid primary key default public.gen_random_uuid(), name text); insert into author (name) values (encode(digest('Ada', 'md5'), 'hex'))",
    )
    await write('metadata/version.yaml', 'version: 3')
    await write(
      'metadata/databases/databases.yaml',
      `- name: Postgres
  kind: postgres
  configuration: { connection_info: { database_url: { from_env: HASURA_GRAPHQL_DATABASE_URL } } }
  tables: [{ table: author, colour: red, select_permissions: [{ role: reader, permission: { columns: [name], filter: {} } }] }]
- { name: old, kind: mysql8, tables: [{ table: [shop, orders] }] }`,
    )
    const project = { metadata: join(folder, 'metadata'), migrations: join(folder, 'migrations') }
    const options = { ...project, databaseUrl: database.url, adminSecret: 's', port: 0 }
    await expect(startEngine({ ...options, strictMetadata: true })).rejects.toThrow(
      /\$\[0\]\.tables\[0\]\.colour: metadata has no such key/,
    )
    for (let start = 1; start <= 2; start += 1) {
      const engine = await startEngine(options)
      try {
        expect(await ask(engine.url, 's')).toEqual({
          data: { author: [{ name: '1a382809b7c03f686e12dd15677c5497' }] },
        })
        expect(engine.snapshot.inconsistencies).toMatchObject([{ name: 'source old' }])
      } finally {
        await engine.stop()
      }
    }
  })

  test('names the wrong file, line or path, or the address that doesn’t answer', async () => {
    const project = await writeProject()
    const databaseUrl = database.url
    const started = async (options: Parameters<typeof startEngine>[0]) => {
      const engine = await startEngine({ databaseUrl, ...options })
      await engine.stop()
    }
    const table = join('metadata/databases/default/tables/public_author.yaml')
    await write(
      table,
      'table: { schema: public, name: author }\nselect_permissions:\n  - role: reader\n    permission: { columns: 7, filter: {} }',
    )
    await expect(started(project)).rejects.toThrow(
      `${join(folder, table)}: $.select_permissions[0].permission.columns`,
    )
    await write('migrations/default/1700000000001_rows/up.sql', 'select 1;\nselect nothing;')
    await expect(started({ migrations: project.migrations })).rejects.toThrow(
      /1700000000001_rows\/up\.sql:2: column "nothing" does not exist/,
    )
    await expect(started({ metadata: join(folder, 'nowhere') })).rejects.toThrow(/has no version\.yaml/)
    await expect(started({ databaseUrl: 'postgres://me:hidden@127.0.0.1:1/db' })).rejects.toThrow(
      /^can't connect to the database at 127\.0\.0\.1:1\/db: (?!.*hidden)/,
    )
  })
})

describe('the command', () => {
  test('serves a project, obeys the environment, warns of settings without effect, and ends on SIGTERM', async () => {
    const { metadata, migrations } = await writeProject()
    const command = await runCommand(
      ['--metadata', metadata, '--database-url', database.url, '--port', '0'],
      {
        HASURA_GRAPHQL_MIGRATIONS_DIR: migrations,
        HASURA_GRAPHQL_ADMIN_SECRETS: '["old","new"]',
        HASURA_GRAPHQL_ENABLED_LOG_TYPES: 'startup,http-log',
        HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
        HASURA_GRAPHQL_OWN: '1',
      },
    )
    for (const secret of ['old', 'new'])
      expect(await ask(command.url, secret)).toEqual({ data: { author: [{ name: 'Ada' }] } })
    expect(await ask(command.url, 'other')).toMatchObject({ errors: [{}] })
    const { code, errors } = await command.stop()
    expect(code).toBe(0)
    expect(errors).toContain('HASURA_GRAPHQL_ENABLE_CONSOLE has no effect: there is no console')
    expect(errors).toContain('HASURA_GRAPHQL_OWN has no effect: this engine does not know it')
  })

  test('--help lists every option', async () => {
    const { said } = await runCommand(['--help'])
    for (const name of ['metadata', 'migrations', 'database-url', 'data-dir', 'port', 'host'])
      expect(said).toContain(`--${name}`)
  })

  test('prints errors in one line: options, settings, a busy port, a folder that is no metadata', async () => {
    const busy: Server = createServer()
    await new Promise<void>((resolve) => busy.listen(0, '127.0.0.1', resolve))
    const { port } = busy.address() as AddressInfo
    const url = ['--database-url', database.url]
    const [option, setting, busyPort, metadata] = await Promise.all([
      failure(['--nothing']),
      failure(url, { HASURA_GRAPHQL_SERVER_PORT: 'x' }),
      failure([...url, '--port', String(port)]),
      failure([...url, '--metadata', folder]),
    ])
    busy.close()
    expect(option).toEqual({
      code: 1,
      errors: expect.stringMatching(/^Unknown option '--nothing'/) as string,
    })
    expect(setting).toEqual({
      code: 1,
      errors: expect.stringMatching(/^HASURA_GRAPHQL_SERVER_PORT: /) as string,
    })
    expect(busyPort).toEqual({ code: 1, errors: `port ${port} of 127.0.0.1 is in use by another program\n` })
    expect(metadata).toEqual({ code: 1, errors: expect.stringContaining('has no version.yaml') as string })
  })
})

test('on an older Node the command names the version that it needs, and does nothing else', async () => {
  const run = new URL('../bin/run.mjs', import.meta.url).href
  const script = `Object.defineProperty(process.versions, 'node', { value: '20.11.0' }); import('${run}')`
  const child = spawn(process.execPath, ['--eval', script])
  const [closed, output, error] = await Promise.all([
    once(child, 'close'),
    text(child.stdout),
    text(child.stderr),
  ])
  expect({ code: closed[0] as unknown, output, error }).toEqual({
    code: 1,
    output: '',
    error: `hasura-embedded needs Node 24 or later; this is ${process.version}\n`,
  })
})
