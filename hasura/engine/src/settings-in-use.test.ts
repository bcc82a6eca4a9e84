import { once } from 'node:events'
import { Writable } from 'node:stream'
import { type TestDatabase, createTestDatabase } from '@commerce-graph/local-postgres/testing'
import { SignJWT } from 'jose'
import pg from 'pg'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { type Engine, startEngine } from './engine.ts'
import { type RemoteServer, startRemoteServer } from './remote/testing/remote-server.ts'
import { readSettings } from './settings.ts'

// Each setting from the user's side: a variable in the environment, an engine started with it, a request over HTTP.

let database: TestDatabase
let remote: RemoteServer
let engines: Engine[]
let lines: string[]

beforeAll(async () => {
  database = await createTestDatabase()
  remote = await startRemoteServer()
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  await client.query(`
    create table author (id int primary key, name text);
    create table entry (id int primary key, author_id int references author, title text,
      level text default current_setting('transaction_isolation'));
    create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no such title' using errcode = 'XX001', detail = 'of the trigger'; end $$;
    create trigger refuse before insert on entry for each row when (new.title = 'refused') execute function refuse();
  `)
  await client.end()
})

afterAll(async () => {
  await remote.close()
  await database.drop()
})

beforeEach(() => {
  engines = []
  lines = []
})

afterEach(async () => {
  await Promise.all(engines.map((engine) => engine.stop()))
})

const jwtKey = 'k'.repeat(32)

const metadata = () => ({
  version: 3 as const,
  sources: [
    {
      name: 'default',
      kind: 'postgres' as const,
      tables: [
        {
          table: { schema: 'public', name: 'author' },
          array_relationships: [
            {
              name: 'entries',
              using: {
                foreign_key_constraint_on: {
                  table: { schema: 'public', name: 'entry' },
                  column: 'author_id',
                },
              },
            },
          ],
        },
        {
          table: { schema: 'public', name: 'entry' },
          insert_permissions: [{ role: 'user', permission: { columns: ['id', 'title'], check: {} } }],
          select_permissions: [{ role: 'user', permission: { columns: ['id'], filter: {} } }],
        },
      ],
    },
  ],
  remote_schemas: [{ name: 'world', definition: { url: remote.url } }],
})

/** Starts an engine as the command does, from the environment alone. */
async function start(variables: Readonly<Record<string, string>> = {}): Promise<Engine> {
  const result = readSettings({
    HASURA_GRAPHQL_DATABASE_URL: database.url,
    HASURA_GRAPHQL_SERVER_PORT: '0',
    HASURA_GRAPHQL_ADMIN_SECRET: 'secret',
    ...variables,
  })
  if (result.kind === 'invalid') throw new Error(result.problems.join())
  const log = new Writable({
    write: (line: Buffer, _encoding, done) => {
      lines.push(line.toString())
      done()
    },
  })
  const logger = pino({ level: result.settings.logLevel }, log)
  const engine = await startEngine({ ...result.settings, logger })
  engines.push(engine)
  await engine.replaceMetadata(metadata())
  return engine
}

async function ask(
  engine: Engine,
  query: string,
  headers: Readonly<Record<string, string>> = { 'x-hasura-admin-secret': 'secret' },
): Promise<{ readonly status: number; readonly body: unknown }> {
  const url = `${engine.url ?? ''}/v1/graphql`
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) }
}

const as = (role: string) => ({ 'x-hasura-admin-secret': 'secret', 'x-hasura-role': role })

describe('Postgres’s message of an error', () => {
  test.each([
    ['admin', 'of an admin', {}, true],
    ['user', 'of other roles', {}, false],
    ['admin', 'if switched off', { HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS: 'false' }, false],
    ['user', 'in dev mode', { HASURA_GRAPHQL_DEV_MODE: 'true' }, true],
    [
      'admin',
      'in dev mode, which takes precedence',
      { HASURA_GRAPHQL_DEV_MODE: 'true', HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS: 'false' },
      true,
    ],
  ])('%s: %s', async (role, _case, variables, isShown) => {
    const engine = await start(variables)
    const mutation = 'mutation { insert_entry_one(object: {id: 1, title: "refused"}) { id } }'
    const { body } = await ask(engine, mutation, as(role))
    const internal = {
      error: {
        exec_status: 'FatalError',
        hint: null,
        message: 'no such title',
        status_code: 'XX001',
        description: 'of the trigger',
      },
    }
    expect(body).toEqual({
      errors: [
        {
          message: 'database query error',
          extensions: {
            path: expect.any(String) as string,
            code: 'unexpected',
            ...(isShown ? { internal } : {}),
          },
        },
      ],
    })
  })
})

test.each([
  [undefined, 'read committed'],
  ['repeatable-read', 'repeatable read'],
  ['serializable', 'serializable'],
])(
  'HASURA_GRAPHQL_TX_ISOLATION %s: applies to mutations of one field and of several',
  async (value, level) => {
    const engine = await start(value === undefined ? {} : { HASURA_GRAPHQL_TX_ISOLATION: value })
    const insert = (id: number) => `insert_entry_one(object: {id: ${id}}) { level }`
    await ask(engine, 'mutation { delete_entry(where: {}) { affected_rows } }')
    expect((await ask(engine, `mutation { ${insert(1)} }`)).body).toEqual({
      data: { insert_entry_one: { level } },
    })
    expect((await ask(engine, `mutation { a: ${insert(2)} b: ${insert(3)} }`)).body).toEqual({
      data: { a: { level }, b: { level } },
    })
  },
)

test('HASURA_GRAPHQL_PRESERVE_401_ERRORS: an unauthenticated request is answered 401', async () => {
  const wrong = { 'x-hasura-admin-secret': 'wrong' }
  const error = {
    errors: [
      {
        extensions: { code: 'access-denied', path: '$' },
        message: 'invalid x-hasura-admin-secret/x-hasura-access-key',
      },
    ],
  }
  expect(await ask(await start(), '{ entry { id } }', wrong)).toEqual({ status: 200, body: error })
  const preserving = await start({ HASURA_GRAPHQL_PRESERVE_401_ERRORS: 'true' })
  expect(await ask(preserving, '{ entry { id } }', wrong)).toEqual({ status: 401, body: error })
  expect(await ask(preserving, '{ nothing }')).toMatchObject({ status: 200 })
})

describe('a token in a cookie of a WebSocket', () => {
  const secret = JSON.stringify({
    type: 'HS256',
    key: jwtKey,
    header: { type: 'Cookie', name: 'session' },
  })
  const claims = { 'x-hasura-default-role': 'user', 'x-hasura-allowed-roles': ['user'] }

  test.each([
    ['is read', {}, 'connection_ack'],
    ['is not read without CORS', { HASURA_GRAPHQL_DISABLE_CORS: 'true' }, 'closed'],
    [
      'is read without CORS if so configured',
      { HASURA_GRAPHQL_DISABLE_CORS: 'true', HASURA_GRAPHQL_WS_READ_COOKIE: 'true' },
      'connection_ack',
    ],
  ])('%s', async (_case, variables, answer) => {
    const engine = await start({ HASURA_GRAPHQL_JWT_SECRET: secret, ...variables })
    const token = await new SignJWT({ 'https://hasura.io/jwt/claims': claims })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(jwtKey))
    const socket = await open(engine, { cookie: `session=${token}` })
    const first = Promise.race([
      message(socket, 'connection_ack').then(({ type }) => type),
      once(socket, 'close').then(() => 'closed'),
    ])
    socket.send(JSON.stringify({ type: 'connection_init' }))
    expect(await first).toBe(answer)
    socket.terminate()
  })
})

async function open(engine: Engine, headers: Readonly<Record<string, string>> = {}): Promise<WebSocket> {
  const url = `${engine.url ?? ''}/v1/graphql`.replace('http', 'ws')
  const socket = new WebSocket(url, ['graphql-transport-ws'], { headers })
  await once(socket, 'open')
  return socket
}

/** The next message of a type. Others, like keep-alives, may come at any time. */
const message = (socket: WebSocket, type: string): Promise<{ readonly type: string }> =>
  new Promise((resolve) => {
    socket.on('message', (data: Buffer) => {
      const received = JSON.parse(data.toString()) as { readonly type: string }
      if (received.type === type) resolve(received)
    })
  })

test.each([
  ['false', ''],
  ['true', 'permessage-deflate'],
])(
  'HASURA_GRAPHQL_CONNECTION_COMPRESSION %s: a client that offers it gets "%s"',
  async (value, extension) => {
    const engine = await start({ HASURA_GRAPHQL_CONNECTION_COMPRESSION: value })
    const socket = await open(engine)
    expect(socket.extensions).toBe(extension)
    const ready = message(socket, 'connection_ack')
    socket.send(JSON.stringify({ type: 'connection_init', payload: { headers: as('admin') } }))
    await ready
    const answer = message(socket, 'next')
    const query = `{ echo: __typename # ${'a'.repeat(5_000)}\n }`
    socket.send(JSON.stringify({ type: 'subscribe', id: '1', payload: { query } }))
    expect(await answer).toEqual({
      type: 'next',
      id: '1',
      payload: { data: { echo: 'query_root' } },
    })
    socket.terminate()
  },
)

test('HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH: long tokens are accepted, up to the limit', async () => {
  const headers = { ...as('admin'), 'x-long': 'x'.repeat(100_000) }
  expect(await ask(await start(), '{ __typename }', headers)).toMatchObject({ status: 200 })
  const bounded = await start({ HASURA_GRAPHQL_MAX_TOTAL_HEADER_LENGTH: '20000' })
  expect(await ask(bounded, '{ __typename }', headers)).toEqual({ status: 431, body: undefined })
})

test('HASURA_GRAPHQL_ENABLED_LOG_TYPES and _LOG_LEVEL: a line for each request, if both allow it', async () => {
  const requests = async (variables: Readonly<Record<string, string>>) => {
    const engine = await start(variables)
    lines = []
    await ask(engine, '{ __typename }')
    return lines.map((line) => JSON.parse(line) as unknown)
  }
  const types = { HASURA_GRAPHQL_ENABLED_LOG_TYPES: 'startup, http-log, websocket-log' }
  expect(await requests({})).toEqual([])
  expect(await requests(types)).toEqual([
    expect.objectContaining({
      type: 'http-log',
      detail: {
        request_id: expect.any(String) as string,
        http_info: {
          method: 'POST',
          url: '/v1/graphql',
          status: 200,
          ip: '127.0.0.1',
          http_version: 'HTTP/1.1',
        },
      },
    }),
  ])
  expect(await requests({ ...types, HASURA_GRAPHQL_LOG_LEVEL: 'WARN' })).toEqual([])
})

test('HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: hidden features are in no schema', async () => {
  const parts = async (engine: Engine) => {
    const { body } = await ask(
      engine,
      `{ mutation: __type(name: "mutation_root") { fields { name } }
         subscription: __type(name: "subscription_root") { fields { name } }
         filter: __type(name: "author_bool_exp") { fields: inputFields { name } } }`,
    )
    const { data } = body as { data: Record<string, { fields: readonly { name: string }[] }> }
    const names = Object.values(data).flatMap(({ fields }) => fields.map(({ name }) => name))
    return ['update_author_many', 'author_stream', 'entries_aggregate', 'update_author', 'entries'].filter(
      (name) => names.includes(name),
    )
  }
  expect(await parts(await start())).toEqual([
    'update_author_many',
    'author_stream',
    'entries_aggregate',
    'update_author',
    'entries',
  ])
  const hiding = await start({
    HASURA_GRAPHQL_EXPERIMENTAL_FEATURES:
      'naming_convention,hide_update_many_fields, hide_stream_fields,Hide_aggregation_predicates',
  })
  expect(await parts(hiding)).toEqual(['update_author', 'entries'])
})

test('HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA: data is passed on although there are errors', async () => {
  const query = '{ fails city(id: "1") { name } }'
  expect((await ask(await start(), query)).body).toMatchObject({
    errors: [{ message: 'it can not be done' }],
  })
  const prioritizing = await start({ HASURA_GRAPHQL_REMOTE_SCHEMA_PRIORITIZE_DATA: 'true' })
  expect((await ask(prioritizing, query)).body).toEqual({
    data: { fails: null, city: { name: 'Ulm' } },
  })
})
