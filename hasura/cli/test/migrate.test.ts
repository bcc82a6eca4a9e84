import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { readCliState, writeAppliedVersions } from 'hasura-embedded/migrations'
import { createMigration } from '../src/create-migration.ts'
import { createHasuraApi, type HasuraApi, migrate, migrationStatus } from '../src/index.ts'
import { runEngine, type RunningEngine } from './running-engine.ts'

describe('migrate', () => {
  let engine: RunningEngine
  let directory: string
  const options = () => ({ api: engine.api, directory, database: 'default' })

  const write = (version: number, up: string, down?: string): void => {
    const folder = join(directory, `${version}_step${version}`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'up.sql'), up)
    if (down !== undefined) writeFileSync(join(folder, 'down.sql'), down)
  }

  const tables = async (): Promise<unknown> =>
    engine.api.runSql('default', "select tablename from pg_tables where schemaname = 'public' order by 1")

  beforeEach(async () => {
    engine = await runEngine()
    directory = mkdtempSync(join(tmpdir(), 'migrations-'))
  })

  afterEach(async () => {
    await engine.stop()
    rmSync(directory, { recursive: true, force: true })
  })

  test('applies what is missing in the order of versions, and only once', async () => {
    write(20, 'alter table a add column b int')
    write(3, 'create table a (id int)')
    expect(await migrate(options())).toMatchObject({ kind: 'migrated', steps: { length: 2 } })
    expect(await migrate(options())).toEqual({ kind: 'migrated', steps: [] })
    write(30, 'create table c (id int)')
    expect(await migrate(options())).toMatchObject({ kind: 'migrated', steps: { length: 1 } })
    expect(await migrationStatus(engine.api, directory, 'default')).toEqual([
      { version: '3', name: 'step3', applied: true, dirty: false },
      { version: '20', name: 'step20', applied: true, dirty: false },
      { version: '30', name: 'step30', applied: true, dirty: false },
    ])
  })

  test("keeps its state in hasura-cli's form and leaves hasura-cli's own entries alone", async () => {
    const state = {
      settings: { migration_mode: 'true' },
      migrations: { other: { '1': false }, default: { '3': false } },
      isStateCopyCompleted: false,
      of_a_later_version: 1,
    }
    await engine.api.metadata({ type: 'set_catalog_state', args: { type: 'cli', state } })
    write(3, 'this was applied by hasura-cli and is not run again')
    write(4, 'create table a (id int)')
    expect(await migrate(options())).toMatchObject({ kind: 'migrated', steps: { length: 1 } })
    expect(await engine.api.metadata({ type: 'get_catalog_state', args: {} })).toMatchObject({
      cli_state: {
        ...state,
        isStateCopyCompleted: true,
        migrations: { other: { '1': false }, default: { '3': false, '4': false } },
      },
    })
  })

  test('a file that fails changes nothing, is reported with file and line, and can be run again', async () => {
    write(1, 'create table a (id int)')
    write(
      2,
      "create table b (id int);\n-- next\ninsert into b values (1);\n\ninsert into b\n  values ('x');\n",
    )
    write(3, 'create table c (id int)')
    const file = join(directory, '2_step2/up.sql')
    expect(await migrate(options())).toMatchObject({
      kind: 'failed',
      steps: { length: 1 },
      failure: {
        file,
        line: 5,
        sqlState: '22P02',
        message: expect.stringContaining('invalid input syntax') as string,
      },
    })
    expect(await tables()).toMatchObject({ result: [['tablename'], ['a']] })
    expect((await readCliState(engine.api)).migrations).toEqual({ default: { '1': false } })
    write(2, 'create table b (id int)')
    expect(await migrate(options())).toMatchObject({ kind: 'migrated', steps: { length: 2 } })
  })

  test('a file that fails only at its commit is reported with the error of Postgres, and without a line', async () => {
    write(1, 'create table a (id int primary key, b int references a deferrable initially deferred)')
    write(2, 'insert into a values (1, 2);\nselect 1;')
    expect(await migrate(options())).toEqual({
      kind: 'failed',
      steps: [expect.anything()],
      failure: {
        file: join(directory, '2_step2/up.sql'),
        line: undefined,
        sqlState: '23503',
        message: expect.stringContaining('violates foreign key constraint') as string,
      },
    })
    expect((await readCliState(engine.api)).migrations).toEqual({ default: { '1': false } })
  })

  test('goes up and down by number and by version', async () => {
    for (const version of [1, 2, 3]) {
      write(version, `create table t${version} (id int)`, `drop table t${version}`)
    }
    const run = async (request: Parameters<typeof migrate>[0]['request'] & object) => {
      const outcome = await migrate({ ...options(), request })
      return outcome.kind === 'migrated'
        ? outcome.steps.map(({ migration, direction }) => `${direction} ${migration.version}`)
        : outcome
    }
    expect(await run({ kind: 'up', count: 2 })).toEqual(['up 1', 'up 2'])
    expect(await run({ kind: 'down', count: 1 })).toEqual(['down 2'])
    expect(await run({ kind: 'version', version: '3', direction: 'up' })).toEqual(['up 3'])
    expect(await run({ kind: 'version', version: '3', direction: 'up' })).toEqual([])
    expect(await tables()).toMatchObject({ result: [['tablename'], ['t1'], ['t3']] })
    expect(await run({ kind: 'all' })).toEqual(['up 2'])
    expect(await run({ kind: 'version', version: '9', direction: 'up' })).toEqual({
      kind: 'refused',
      reason: 'There is no migration with the version 9',
    })
  })

  test('refuses to undo what has no down.sql', async () => {
    write(1, 'create table a (id int)')
    await migrate(options())
    expect(await migrate({ ...options(), request: { kind: 'down', count: 1 } })).toEqual({
      kind: 'refused',
      reason: `${join(directory, '1_step1/down.sql')} doesn't exist`,
    })
  })

  /** The state that a program leaves which is killed at the file that contains `text`. */
  const killedAt = (text: string, when: 'before' | 'after'): HasuraApi => ({
    ...engine.api,
    runSql: async (source, sql) => {
      if (!sql.includes(text)) return engine.api.runSql(source, sql)
      if (when === 'after') await engine.api.runSql(source, sql)
      throw new Error('killed')
    },
  })

  const amount = async (): Promise<unknown> => engine.api.runSql('default', 'select amount from price')

  test.each(['before', 'after'] as const)(
    'a file that changes rows runs exactly once if the program is killed %s it took effect',
    async (when) => {
      await engine.api.runSql('default', 'create table price (amount int); insert into price values (1)')
      write(1, 'update price set amount = amount * 100; -- more\nset role pg_read_all_data -- the last')
      await expect(migrate({ ...options(), api: killedAt('* 100', when) })).rejects.toThrow('killed')
      expect(await migrate(options())).toMatchObject({ kind: 'migrated' })
      expect(await amount()).toMatchObject({ result: [['amount'], ['100']] })
      expect((await readCliState(engine.api)).migrations).toEqual({ default: { '1': false } })
      expect(await migrate(options())).toEqual({ kind: 'migrated', steps: [] })
    },
  )

  test.each([
    ['before', { default: { '1': false } }, '100'],
    ['after', { default: {} }, '1'],
  ] as const)(
    'an undoing that is killed %s it took effect leaves the version as it is in the database',
    async (when, recorded, found) => {
      await engine.api.runSql('default', 'create table price (amount int); insert into price values (1)')
      write(1, 'update price set amount = amount * 100', 'update price set amount = amount / 100')
      await migrate(options())
      const down = { ...options(), request: { kind: 'down', count: 1 } } as const
      await expect(migrate({ ...down, api: killedAt('/ 100', when) })).rejects.toThrow('killed')
      // A request without a step settles the state.
      await migrate({ ...options(), request: { kind: 'up', count: 0 } })
      expect((await readCliState(engine.api)).migrations).toEqual(recorded)
      expect(await amount()).toMatchObject({ result: [['amount'], [found]] })
    },
  )

  test('a file that ends its own transaction is not taken for one without effect', async () => {
    await engine.api.runSql('default', 'create table price (amount int); insert into price values (1)')
    write(1, 'begin; update price set amount = amount * 100;\n/* now */ commit;')
    await expect(migrate({ ...options(), api: killedAt('* 100', 'after') })).rejects.toThrow('killed')
    await expect(migrate(options())).rejects.toThrow(/was interrupted.*ends its own transaction/)
    expect(await amount()).toMatchObject({ result: [['amount'], ['100']] })
  })

  test('a mark of hasura-cli is settled by what exists already, and never by SQL that can be repeated', async () => {
    write(1, 'create table a (id int)')
    await engine.api.runSql('default', 'create table a (id int)')
    await writeAppliedVersions(engine.api, 'default', new Map([['1', true]]))
    expect(await migrate(options())).toEqual({ kind: 'migrated', steps: [] })
    expect((await readCliState(engine.api)).migrations).toEqual({ default: { '1': false } })
    write(2, 'insert into a values (1)')
    await writeAppliedVersions(
      engine.api,
      'default',
      new Map([
        ['1', false],
        ['2', true],
      ]),
    )
    await expect(migrate(options())).rejects.toThrow(/migration 2 \(step2\) was interrupted/)
  })

  test.each([
    ['up', { default: { '1': false } }],
    ['down', { default: {} }],
  ] as const)(
    'says what to do when it cannot read the state, and records it: %s',
    async (direction, recorded) => {
      write(1, 'insert into nowhere values (1)')
      await writeAppliedVersions(engine.api, 'default', new Map([['1', true]]))
      await expect(migrate(options())).rejects.toThrow(
        /migration 1 \(step1\) was interrupted.*--skip-execution.*--type down/s,
      )
      const request = { kind: 'version', version: '1', direction } as const
      expect(await migrate({ ...options(), request, skipExecution: true })).toMatchObject({
        kind: 'migrated',
        steps: { length: 1 },
      })
      expect((await readCliState(engine.api)).migrations).toEqual(recorded)
    },
  )

  test('refuses two files of one version and a folder without a version', async () => {
    write(1, '')
    mkdirSync(join(directory, '01_again'))
    mkdirSync(join(directory, '1_again'))
    await expect(migrate(options())).rejects.toThrow(/have the same version/)
    mkdirSync(join(directory, 'notes'))
    await expect(migrate(options())).rejects.toThrow(/notes is not named <version>_<name>/)
  })

  test('names a new migration by the current time', async () => {
    const folder = await createMigration(directory, 'add_orders', new Date(1_700_000_000_000))
    expect(folder).toBe(join(directory, '1700000000000_add_orders'))
    expect(await migrationStatus(engine.api, directory, 'default')).toMatchObject([{ applied: false }])
    await expect(createMigration(directory, 'no spaces', new Date())).rejects.toThrow('letters, digits')
  })

  test('reports a wrong secret and an absent engine as such', async () => {
    const wrong = createHasuraApi({ endpoint: engine.url, adminSecret: 'wrong' })
    await expect(migrate({ ...options(), api: wrong })).rejects.toMatchObject({ code: 'access-denied' })
    const absent = createHasuraApi({ endpoint: 'http://127.0.0.1:9', adminSecret: undefined })
    await expect(migrate({ ...options(), api: absent })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('http://127.0.0.1:9') as string,
    })
  })
})
