import { request as httpRequest } from 'node:http'
import pg from 'pg'
import { pino } from 'pino'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { EngineOptions } from './engine-options.ts'
import { type Engine, startEngine } from './engine.ts'
import { type Session, adminSession, createSession } from './session/types.ts'

let database: TestDatabase
let started: Engine[]

beforeAll(async () => {
  database = await createTestDatabase()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`
    create table author (id serial primary key, name text not null);
    insert into author (name) values ('Ada'), ('Grace');
  `)
  await client.end()
})

afterAll(() => database.drop())

beforeEach(() => {
  started = []
})

afterEach(() => Promise.all(started.map((engine) => engine.stop())))

async function start(options: Partial<EngineOptions> = {}): Promise<Engine> {
  const engine = await startEngine({
    databaseUrl: database.url,
    adminSecret: 'secret',
    port: 0,
    pollIntervalMs: 50,
    logger: pino({ level: 'silent' }),
    ...options,
  })
  started.push(engine)
  return engine
}

const admin = { 'x-hasura-admin-secret': 'secret' }

const post = (engine: Engine, path: string, body: unknown, headers: Record<string, string> = admin) =>
  fetch(`${engine.url ?? ''}${path}`, {
    method: 'POST',
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })

const track = (engine: Engine) =>
  engine.replaceMetadata({
    version: 3,
    sources: [
      {
        name: 'default',
        kind: 'postgres',
        tables: [
          {
            table: { schema: 'public', name: 'author' },
            select_permissions: [
              { role: 'reader', permission: { columns: ['name'], filter: { id: 'X-Hasura-Author' } } },
            ],
          },
        ],
      },
    ],
  })

const names = { query: '{ author(order_by: {id: asc}) { name } }' }
const both = { data: { author: [{ name: 'Ada' }, { name: 'Grace' }] } }

async function dataOf(engine: Engine, query: string, session: Session): Promise<unknown> {
  const result = await engine.execute({ query }, session)
  return result.kind === 'data' ? (JSON.parse(result.json) as unknown) : result
}

describe('over HTTP', () => {
  test('answers GraphQL with the rows of the role', async () => {
    const engine = await start()
    await track(engine)
    const answer = await post(engine, '/v1/graphql', names)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(answer.headers.get('x-request-id')).toMatch(/\S/)
    expect(await answer.json()).toEqual(both)
    const reader = { ...admin, 'x-hasura-role': 'reader', 'x-hasura-author': '2' }
    expect(
      await (await post(engine, '/v1/graphql', { query: '{ author { name } }' }, reader)).json(),
    ).toEqual({
      data: { author: [{ name: 'Grace' }] },
    })
  })

  test('answers a list of operations with a list', async () => {
    const engine = await start()
    await track(engine)
    const answer = await post(engine, '/v1/graphql', [names, { query: '{ nothing }' }])
    expect(await answer.json()).toMatchObject([
      both,
      { errors: [{ extensions: { code: 'validation-failed' } }] },
    ])
  })

  test('an error shows a client no more than Hasura’s does', async () => {
    const engine = await start()
    await track(engine)
    const query = 'mutation { insert_author_one(object: { id: 1, name: "Ada" }) { id } }'
    expect(await (await post(engine, '/v1/graphql', { query })).json()).toEqual({
      errors: [
        {
          message: 'Uniqueness violation. duplicate key value violates unique constraint "author_pkey"',
          extensions: {
            path: '$.selectionSet.insert_author_one.args.object',
            code: 'constraint-violation',
          },
        },
      ],
    })
  })

  test('/v1/graphql answers 200 for every error, the other endpoints the error’s status', async () => {
    const engine = await start()
    const refused = await post(engine, '/v1/graphql', names, {})
    expect(refused.status).toBe(200)
    expect(await refused.json()).toEqual({
      errors: [
        {
          message: 'x-hasura-admin-secret/x-hasura-access-key required, but not found',
          extensions: { path: '$', code: 'access-denied' },
        },
      ],
    })
    const broken = await post(engine, '/v1/graphql', '{')
    expect([broken.status, await broken.json()]).toMatchObject([
      200,
      { errors: [{ extensions: { code: 'invalid-json' } }] },
    ])
    const metadata = await post(engine, '/v1/metadata', { type: 'export_metadata', args: {} }, {})
    expect([metadata.status, await metadata.json()]).toMatchObject([
      401,
      { code: 'access-denied', path: '$' },
    ])
  })

  test('only admin may change metadata or run SQL', async () => {
    const engine = await start()
    const headers = { ...admin, 'x-hasura-role': 'reader' }
    for (const [path, body] of [
      ['/v1/metadata', { type: 'export_metadata', args: {} }],
      ['/v2/query', { type: 'run_sql', args: { sql: 'select 1' } }],
    ] as const) {
      const answer = await post(engine, path, body, headers)
      expect([answer.status, await answer.json()]).toMatchObject([
        400,
        { code: 'access-denied', error: 'restricted access : admin only' },
      ])
    }
  })

  test('returns its version and its health', async () => {
    const engine = await start()
    const get = (path: string) => fetch(`${engine.url ?? ''}${path}`)
    expect(await (await get('/v1/version')).json()).toMatchObject({
      server_type: 'ce',
      version: expect.stringMatching(/^v2\./) as string,
    })
    expect(await (await get('/healthz')).text()).toBe('OK')
    await engine.replaceMetadata({
      version: 3,
      sources: [{ name: 'default', tables: [{ table: { schema: 'public', name: 'gone' } }] }],
    })
    expect(await (await get('/healthz')).text()).toBe('WARN: inconsistent objects in schema')
    expect((await get('/healthz?strict=true')).status).toBe(500)
    expect((await get('/nowhere')).status).toBe(404)
  })

  test('refuses a body that is too long, without reading it to the end', async () => {
    const engine = await start({ maxBodyBytes: 1000 })
    const status = await new Promise((resolve, reject) => {
      const request = httpRequest(
        `${engine.url ?? ''}/v1/metadata`,
        { method: 'POST', headers: admin },
        (response) => {
          resolve(response.statusCode)
          request.destroy()
        },
      )
      request.on('error', reject)
      // The header announces more bytes than the test sends.
      request.setHeader('content-length', 1_000_000)
      request.write('x'.repeat(2000))
    })
    expect(status).toBe(413)
  })

  test('lets only pages of allowed origins read answers', async () => {
    const engine = await start({ cors: { kind: 'some', origins: ['https://*.shop.example'] } })
    const preflight = (origin: string) =>
      fetch(`${engine.url ?? ''}/v1/graphql`, {
        method: 'OPTIONS',
        headers: { origin, 'access-control-request-headers': 'content-type' },
      })
    const allowed = await preflight('https://a.shop.example')
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe('https://a.shop.example')
    expect(allowed.headers.get('access-control-allow-headers')).toBe('content-type')
    for (const origin of ['https://evil.example', 'https://a.b.shop.example', 'https://shop.example']) {
      expect((await preflight(origin)).headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('serves only the APIs that are enabled', async () => {
    const engine = await start({ enabledApis: ['graphql'] })
    expect((await post(engine, '/v1/metadata', { type: 'export_metadata', args: {} })).status).toBe(404)
    expect((await post(engine, '/v1/graphql', names)).status).toBe(200)
  })

  test('cancels a statement that takes longer than a request may', async () => {
    const engine = await start({ requestTimeoutMs: 300 })
    await post(engine, '/v2/query', {
      type: 'run_sql',
      args: {
        sql: `create function slow() returns setof author language sql stable
              as 'select author.* from author, pg_sleep(30)'`,
      },
    })
    await post(engine, '/v1/metadata', { type: 'pg_track_function', args: { function: 'slow' } })
    const begin = performance.now()
    const answer = await post(engine, '/v1/graphql', { query: '{ slow { name } }' })
    expect(await answer.json()).toHaveProperty('errors')
    expect(performance.now() - begin).toBeLessThan(5_000)
  })
})

describe('in process', () => {
  test('answers without a port, for any session', async () => {
    const engine = await start({ port: undefined })
    await track(engine)
    expect(engine.url).toBeUndefined()
    expect(await dataOf(engine, names.query, adminSession)).toEqual(both.data)
    const session = createSession('reader', { 'X-Hasura-Author': '1' })
    expect(await dataOf(engine, '{ author { name } }', session)).toEqual({ author: [{ name: 'Ada' }] })
  })

  test('an engine takes over metadata that another engine on the database has changed', async () => {
    const [one, two] = [await start(), await start()]
    await track(one)
    await expect.poll(async () => two.execute(names, adminSession)).toMatchObject({ kind: 'data' })
    await one.replaceMetadata({ version: 3, sources: [{ name: 'default', tables: [] }] })
    await expect.poll(async () => two.execute(names, adminSession)).toMatchObject({ kind: 'errors' })
  })

  test('names the address that it could not connect to', async () => {
    await expect(startEngine({ databaseUrl: 'postgres://unknown@127.0.0.1:1/nothing' })).rejects.toThrow(
      /ECONNREFUSED/,
    )
  })
})

test('metadata makes a table an entity of Apollo Federation, and undoes it', async () => {
  const engine = await start({ apolloFederation: true })
  await track(engine)
  const configure = async (config: object | undefined): Promise<void> => {
    const args = { source: 'default', table: 'author', apollo_federation_config: config }
    const answer = await post(engine, '/v1/metadata', { type: 'pg_set_apollo_federation_config', args })
    expect(answer.status).toBe(200)
  }
  const query = '{ _entities(representations: [{__typename: "author", id: 2}]) { ... on author { name } } }'
  const ask = async (): Promise<unknown> => (await post(engine, '/v1/graphql', { query })).json()
  const absent = { errors: [{ message: `field "_entities" not found in type: 'query_root'` }] }
  expect(await ask()).toMatchObject(absent)
  await configure({ enable: 'v1' })
  expect(await ask()).toEqual({ data: { _entities: [{ name: 'Grace' }] } })
  await configure(undefined)
  expect(await ask()).toMatchObject(absent)
})
