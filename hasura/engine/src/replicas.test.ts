import { type ReplicatedPostgres, startReplicatedPostgres } from '@commerce-graph/local-postgres/testing'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Engine, startEngine } from './engine.ts'
import { createSession } from './session/types.ts'

const maxLagMs = 800

let servers: ReplicatedPostgres
let primary: pg.Client
let standby: pg.Client
let engine: Engine
async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString })
  client.on('error', () => undefined)
  await client.connect()
  return client
}
beforeAll(async () => {
  servers = await startReplicatedPostgres()
  primary = await connected(servers.primary.url)
  standby = await connected(servers.standby.url)
  await primary.query(`
    create table page (id int primary key, views int not null);
    insert into page values (1, 0);
    create view place as select pg_is_in_recovery() as standby, (select views from page) as views;
    create view picky as select case when pg_is_in_recovery() then 1 / (random() * 0)::int else 1 end as one;
    create function visit() returns setof page language sql volatile as 'update page set views = views + 1 returning *'`)
  engine = await startEngine({
    databaseUrl: servers.primary.url,
    replicas: { urls: [servers.standby.url], maxLagMs },
    logger: pino({ level: 'silent' }),
    metadata: {
      version: 3,
      sources: [
        {
          name: 'default',
          kind: 'postgres',
          configuration: { connection_info: { database_url: { from_env: 'HASURA_GRAPHQL_DATABASE_URL' } } },
          tables: [
            { table: { schema: 'public', name: 'page' } },
            { table: { schema: 'public', name: 'place' } },
            { table: { schema: 'public', name: 'picky' } },
          ],
          functions: [
            { function: { schema: 'public', name: 'visit' }, configuration: { exposed_as: 'query' } },
          ],
        },
      ],
    } as never,
    env: { HASURA_GRAPHQL_DATABASE_URL: servers.primary.url },
  })
}, 120_000)
afterAll(async () => {
  await engine.stop()
  await primary.end()
  await standby.end()
  await servers.stop()
})

async function run(query: string, replica?: string): Promise<Record<string, readonly unknown[]>> {
  const clientHeaders = replica === undefined ? {} : { 'x-read-replica': replica }
  const result = await engine.execute({ query }, createSession('admin', {}), { clientHeaders })
  if (result.kind === 'errors') throw new Error(JSON.stringify(result.errors))
  return JSON.parse(result.json) as Record<string, readonly unknown[]>
}

const place = '{ place { standby views } }'

/** Asks until the standby answers, as it does once its position is known. */
const untilAtStandby = () =>
  expect
    .poll(async () => (await run(place, 'allowed'))['place'], { timeout: 20_000 })
    .toEqual([{ standby: true, views: expect.any(Number) as number }])

describe('a query', { timeout: 60_000 }, () => {
  test('is answered by a standby if its client allows it, and otherwise by the primary', async () => {
    await untilAtStandby()
    expect((await run(place))['place']).toMatchObject([{ standby: false }])
    expect((await run(place, 'no'))['place']).toMatchObject([{ standby: false }])
  })

  test('is never answered with what is older than the limit', async () => {
    await untilAtStandby()
    await standby.query('select pg_wal_replay_pause()')
    try {
      const { rows } = await primary.query<{ views: number }>(
        'update page set views = views + 1 returning views',
      )
      const changed = performance.now()
      const views = rows[0]?.views
      let last: { standby: boolean; views: number } | undefined
      while (performance.now() - changed < maxLagMs * 2) {
        last = (await run(place, 'allowed'))['place']?.[0] as typeof last
        if (performance.now() - changed > maxLagMs + 200) expect(last).toEqual({ standby: false, views })
      }
      expect(last).toEqual({ standby: false, views })
    } finally {
      await standby.query('select pg_wal_replay_resume()')
    }
    await untilAtStandby()
  })

  test('that the standby refuses, as it writes, is answered by the primary, once', async () => {
    await untilAtStandby()
    const before = (await run(place))['place']?.[0] as { views: number }
    expect((await run('{ visit { views } }', 'allowed'))['visit']).toEqual([{ views: before.views + 1 }])
    expect((await run(place))['place']).toMatchObject([{ views: before.views + 1 }])
  })

  test('that fails at the standby is answered by the primary', async () => {
    await untilAtStandby()
    expect((await run('{ picky { one } }', 'allowed'))['picky']).toEqual([{ one: 1 }])
  })
})

test('a mutation goes to the primary, whatever its client allows', { timeout: 60_000 }, async () => {
  await untilAtStandby()
  const mutation = 'mutation { update_page(where: {}, _inc: {views: 10}) { affected_rows } }'
  expect(await run(mutation, 'allowed')).toEqual({ update_page: { affected_rows: 1 } })
})

test('a standby that goes away costs no answer', { timeout: 60_000 }, async () => {
  await untilAtStandby()
  await servers.standby.stop()
  for (let round = 0; round < 20; round += 1)
    expect((await run(place, 'allowed'))['place']).toMatchObject([{ standby: false }])
})
