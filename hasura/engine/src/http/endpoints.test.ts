import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { type IncomingMessage, request as requestOver } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiGroups } from './api.ts'
import { type ServedDatabase, adminHeaders, serveDatabase } from './testing/serve-database.ts'

let served: ServedDatabase
let programs: string

/** Replaces pg_dump, whose version would have to match that of the tests' server. */
async function writeProgram(lines: readonly string[]): Promise<void> {
  const file = join(programs, 'pg_dump')
  await writeFile(file, ['#!/bin/sh', ...lines].join('\n'))
  await chmod(file, 0o755)
}

beforeAll(async () => {
  programs = await mkdtemp(join(tmpdir(), 'pg-dump-'))
  await writeProgram(["echo 'SELECT 1;'"])
  served = await serveDatabase(
    `create table author (id serial primary key, name text not null);
     create table article (id serial primary key, author_id int references author, title text);
     insert into author (name) values ('O''Hara'), ('Bo'), ('$1')`,
    { enabledApis: [...apiGroups], env: { PATH: `${programs}:/bin:/usr/bin` } },
  )
  for (const table of ['author', 'article']) await served.metadata('pg_track_table', { table })
  await served.metadata('pg_create_select_permission', {
    table: 'author',
    role: 'reader',
    permission: { columns: ['name'], filter: { id: { _eq: 'X-Hasura-Author' } } },
  })
})

afterAll(async () => {
  await served.close()
  await rm(programs, { recursive: true })
})

const reader = { ...adminHeaders, 'x-hasura-role': 'reader' }

describe('existing endpoints', () => {
  test.each([
    ['POST', '/v1/graphql', { query: '{ __typename }' }],
    ['POST', '/v1alpha1/graphql', { query: '{ __typename }' }],
    ['POST', '/v1beta1/relay', { query: '{ __typename }' }],
    ['POST', '/v1/graphql/explain', { query: { query: '{ __typename }' } }],
    ['POST', '/v1alpha1/graphql/explain', { query: { query: '{ __typename }' } }],
    ['POST', '/v1/metadata', { type: 'export_metadata', args: {} }],
    ['POST', '/v1/query', { type: 'export_metadata', args: {} }],
    ['POST', '/v2/query', { type: 'run_sql', args: { sql: 'select 1' } }],
    ['POST', '/v1alpha1/pg_dump', { opts: ['--schema-only'] }],
    ['GET', '/v1alpha1/config', undefined],
    ['GET', '/api/swagger/json', undefined],
    ['GET', '/v1/version', undefined],
    ['GET', '/healthz', undefined],
    ['GET', '/hasura/healthz', undefined],
    ['GET', '/dev/plan_cache', undefined],
    ['GET', '/dev/subscriptions', undefined],
    ['GET', '/dev/subscriptions/extended', undefined],
  ])('%s %s answers, with CORS headers for any origin', async (method, path, body) => {
    expect(await served.send(method, path, body)).toMatchObject({ status: 200 })
    const preflight = await served.send('OPTIONS', path, undefined, {
      origin: 'https://console.example',
      'access-control-request-headers': 'x-hasura-admin-secret',
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://console.example')
    expect(preflight.headers.get('access-control-allow-headers')).toBe('x-hasura-admin-secret')
  })

  test('another method, or another path, is not found', async () => {
    for (const [method, path] of [
      ['GET', '/v1/metadata'],
      ['PUT', '/v1/graphql'],
      ['GET', '/console'],
      ['POST', '/v1/config'],
    ] as const) {
      const { status, body } = await served.send(method, path, method === 'GET' ? undefined : {})
      expect({ status, body }).toEqual({
        status: 404,
        body: { path: '$', error: 'resource does not exist', code: 'not-found' },
      })
    }
  })

  test('endpoints for admin refuse other callers before they read the body', async () => {
    for (const [method, path] of [
      ['POST', '/v1/graphql/explain'],
      ['POST', '/v1alpha1/pg_dump'],
      ['GET', '/v1alpha1/config'],
      ['GET', '/api/swagger/json'],
      ['GET', '/dev/subscriptions'],
    ] as const) {
      const body = method === 'POST' ? '{}' : undefined
      expect(await served.send(method, path, body, reader)).toMatchObject({
        status: 400,
        body: { code: 'access-denied', error: 'You have to be an admin to access this endpoint', path: '$' },
      })
      expect(await served.send(method, path, method === 'POST' ? '{' : undefined, {})).toMatchObject({
        status: 401,
        body: { code: 'access-denied' },
      })
    }
    expect(await served.send('POST', '/v1/metadata', '{')).toMatchObject({ body: { code: 'invalid-json' } })
  })

  test('an API that is not enabled is not found', async () => {
    const other = await serveDatabase('', { enabledApis: ['graphql'] })
    try {
      for (const path of [
        '/v1/metadata',
        '/v1/query',
        '/v2/query',
        '/v1/graphql/explain',
        '/v1alpha1/pg_dump',
      ])
        expect((await other.send('POST', path, {})).status).toBe(404)
      for (const path of ['/v1alpha1/config', '/dev/subscriptions'])
        expect((await other.send('GET', path)).status).toBe(404)
      expect((await other.send('POST', '/v1/graphql', { query: '{ __typename }' })).status).toBe(200)
    } finally {
      await other.close()
    }
  })
})

test('/v1alpha1/graphql answers as /v1/graphql does, but errors under their own status', async () => {
  const ask = async (path: string, query: string, headers = adminHeaders) => {
    const { status, body } = await served.send('POST', path, { query }, headers)
    return { status, body }
  }
  const good = '{ author(order_by: {id: asc}, limit: 1) { name } }'
  expect(await ask('/v1alpha1/graphql', good)).toEqual(await ask('/v1/graphql', good))
  const old = await ask('/v1alpha1/graphql', '{ nothing }')
  expect(old).toEqual({ ...(await ask('/v1/graphql', '{ nothing }')), status: 400 })
  expect(
    await ask('/v1alpha1/graphql', good, { ...adminHeaders, 'x-hasura-admin-secret': 'x' }),
  ).toMatchObject({
    status: 401,
    body: { errors: [{ extensions: { code: 'access-denied' } }] },
  })
})

test('/v1alpha1/config shows the server’s settings, and no secret', async () => {
  const { body } = await served.send('GET', '/v1alpha1/config')
  expect(body).toEqual({
    version: expect.stringMatching(/^v2\./) as string,
    is_function_permissions_inferred: true,
    is_remote_schema_permissions_enabled: false,
    is_admin_secret_set: true,
    is_auth_hook_set: false,
    is_jwt_set: false,
    jwt: [],
    is_allow_list_enabled: false,
    live_queries: { batch_size: 100, refetch_delay: 1 },
    streaming_queries: { batch_size: 100, refetch_delay: 1 },
    console_assets_dir: null,
    experimental_features: [],
    is_prometheus_metrics_enabled: false,
    default_naming_convention: 'hasura-default',
    feature_flags: [],
    is_apollo_federation_enabled: false,
  })
})

test('/dev/subscriptions lists the statements and their subscribers while there are any', async () => {
  const stream = served.engine.subscribe(
    { query: 'subscription ($id: Int!) { author(where: {id: {_eq: $id}}) { name } }', variables: { id: 2 } },
    { role: 'admin', variables: {}, isAdmin: true, backendOnlyPermissions: false },
  )
  const results = stream[Symbol.asyncIterator]()
  await results.next()
  expect((await served.send('GET', '/dev/subscriptions/extended')).body).toMatchObject({
    live_queries_map: [
      {
        multiplexed_query: expect.stringContaining('"author"') as string,
        subscriber_count: 1,
        cohorts: [{ values: ['2'], subscribers: 1 }],
      },
    ],
    stream_queries_map: [],
  })
  await results.return?.()
  expect((await served.send('GET', '/dev/subscriptions')).body).toMatchObject({ live_queries_map: [] })
})

describe('/v1/graphql/explain', () => {
  const explain = async (query: unknown, user?: Record<string, string>) => {
    const { status, body } = await served.send('POST', '/v1/graphql/explain', { query, user })
    return { status, body }
  }

  test('shows each field’s statement, which can be run unchanged, and Postgres’ plan', async () => {
    const { body } = await explain({
      query:
        'query ($name: String!) { author(where: {name: {_eq: $name}}) { name } also: author(where: {id: {_eq: 3}}) { name } __typename }',
      variables: { name: "O'Hara" },
    })
    expect(body).toMatchObject([
      { field: 'author', plan: expect.arrayContaining([expect.stringContaining('Scan')]) as string[] },
      { field: 'also' },
      { field: '__typename', sql: null, plan: null },
    ])
    const [author, also] = body as readonly { readonly sql: string }[]
    const rows = async (sql: string) => (await served.runSql(sql)).body
    expect(await rows(author?.sql ?? '')).toMatchObject({ result: [['root'], [`[{"name":"O'Hara"}]`]] })
    expect(await rows(also?.sql ?? '')).toMatchObject({ result: [['root'], ['[{"name":"$1"}]']] })
  })

  test('explains an operation as another role, and refuses what that role may not do', async () => {
    const user = { 'X-Hasura-Role': 'reader', 'X-Hasura-Author': '2' }
    const { body } = await explain({ query: '{ author { name } }' }, user)
    const [plan] = body as readonly { readonly sql: string }[]
    expect((await served.runSql(plan?.sql ?? '')).body).toMatchObject({
      result: [['root'], ['[{"name":"Bo"}]']],
    })
    expect(await explain({ query: '{ author { id } }' }, user)).toEqual({
      status: 400,
      body: {
        code: 'validation-failed',
        error: `field "id" not found in type: 'author'`,
        path: '$.selectionSet.author.selectionSet.id',
      },
    })
    expect(await explain({ query: '{ author { name } }' }, { 'x-hasura-role': 'reader' })).toMatchObject({
      status: 400,
      body: { code: 'not-found', error: 'missing session variables: "x-hasura-author"' },
    })
  })

  test('a subscription has one plan, with the values that its subscribers differ by', async () => {
    const { body } = await explain(
      {
        query: 'subscription ($name: String!) { author(where: {name: {_eq: $name}, id: {_gt: 0}}) { name } }',
        variables: { name: 'Bo' },
      },
      { 'x-hasura-role': 'admin' },
    )
    expect(body).toMatchObject({
      plan: expect.arrayContaining([expect.stringContaining('batch')]) as string[],
      variables: { query: { name: 'Bo' }, session: {}, synthetic: ['0'] },
    })
    const { sql } = body as { readonly sql: string }
    expect((await served.runSql(sql)).body).toMatchObject({
      result: [
        ['member', 'root'],
        ['0', '{"author":[{"name":"Bo"}]}'],
      ],
    })
  })

  test('mutations are not explained, and a refused request runs nothing', async () => {
    expect(await explain({ query: 'mutation { delete_author(where: {}) { affected_rows } }' })).toEqual({
      status: 400,
      body: { code: 'invalid-params', error: 'only queries can be explained', path: '$' },
    })
    expect(await explain({ variables: {} })).toMatchObject({
      body: { code: 'parse-failed', error: 'key "query" not found', path: '$.query' },
    })
    expect((await served.runSql('select count(*) from author')).body).toMatchObject({
      result: [['count'], ['3']],
    })
  })
})

describe('/v1alpha1/pg_dump', () => {
  const dump = async (args: object) => {
    const { status, body, headers } = await served.send('POST', '/v1alpha1/pg_dump', args)
    return { status, body, type: headers.get('content-type') }
  }

  test('returns the output of pg_dump with the options, without passing the password as an argument', async () => {
    await writeProgram(['for each in "$@"; do echo "$each"; done'])
    const { status, body, type } = await dump({ opts: ['-O', '-x', '--schema-only', '--schema', 'public'] })
    expect({ status, type }).toEqual({ status: 200, type: 'application/sql; charset=utf-8' })
    const url = new URL(served.databaseUrl)
    const lines = String(body).split('\n')
    expect(lines[0]).toContain(`${url.host}${url.pathname}`)
    if (url.password !== '') expect(lines[0]).not.toContain(url.password)
    expect(lines.slice(1, 8)).toEqual([
      '--encoding=utf8',
      '--no-password',
      '-O',
      '-x',
      '--schema-only',
      '--schema',
      'public',
    ])
  })

  test('a cleaned dump can be a migration: no comments, settings, triggers of event triggers or commands of psql', async () => {
    await writeProgram([
      "cat <<'END'",
      '--',
      '-- PostgreSQL database dump',
      '',
      '\\restrict abc',
      'SET statement_timeout = 0;',
      "SELECT pg_catalog.set_config('search_path', '', false);",
      'SET check_function_bodies = false;',
      'CREATE SCHEMA public;',
      'CREATE TABLE public.author (',
      '    id integer NOT NULL',
      ');',
      'CREATE TRIGGER "notify_hasura_a_INSERT" AFTER INSERT ON public.author FOR EACH ROW EXECUTE FUNCTION hdb_catalog."notify_hasura_a_INSERT"();',
      'CREATE TRIGGER own AFTER INSERT ON public.author FOR EACH ROW EXECUTE FUNCTION public.own();',
      '\\unrestrict abc',
      'END',
    ])
    const cleaned = await dump({ opts: [], clean_output: true })
    expect(cleaned.body).toBe(
      [
        'SET check_function_bodies = false;',
        'CREATE TABLE public.author (',
        '    id integer NOT NULL',
        ');',
        'CREATE TRIGGER own AFTER INSERT ON public.author FOR EACH ROW EXECUTE FUNCTION public.own();',
        '',
      ].join('\n'),
    )
    expect((await dump({ opts: [] })).body).toContain('-- PostgreSQL database dump')
  })

  test.each([
    '-f/tmp/x',
    '-Of',
    '--file=/tmp/x',
    '--fil',
    '-hexample.org',
    '--dbname=other',
    '-',
    '--role=postgres',
  ])('refuses %s, which names another file, server or user', async (option) => {
    expect(await dump({ opts: ['-O', option] })).toMatchObject({
      status: 400,
      body: { code: 'bad-request', path: '$.opts' },
    })
  })

  test('names what is missing or wrong: the program, its error, the source, the options', async () => {
    await writeProgram(['echo "pg_dump: error: no matching tables were found" >&2', 'exit 1'])
    expect(await dump({ opts: ['-t', 'nothing'] })).toMatchObject({
      status: 500,
      body: {
        error: 'error while executing pg_dump',
        internal: 'pg_dump: error: no matching tables were found\n',
      },
    })
    expect(await dump({ opts: [], source: 'other' })).toMatchObject({
      status: 400,
      body: { code: 'not-exists', error: 'source with name "other" does not exist' },
    })
    expect(await dump({})).toMatchObject({ status: 400, body: { error: 'key "opts" not found' } })
    const bare = await serveDatabase('', { env: { PATH: '/nowhere' } })
    try {
      expect(await bare.send('POST', '/v1alpha1/pg_dump', { opts: [] })).toMatchObject({
        status: 500,
        body: { error: expect.stringContaining('pg_dump is not installed') as string },
      })
    } finally {
      await bare.close()
    }
  })
})

describe('a long answer', () => {
  const codingOf = async (query: string, accepted: string): Promise<string | undefined> => {
    const request = requestOver(`${served.engine.url ?? ''}/v1/graphql`, {
      method: 'POST',
      headers: { ...adminHeaders, 'content-type': 'application/json', 'accept-encoding': accepted },
    })
    request.end(JSON.stringify({ query }))
    const [response] = (await once(request, 'response')) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    return response.headers['content-encoding']
  }
  const names = Array.from({ length: 200 }, (_, index) => `n${index}: name`).join(' ')

  test('of a query is compressed for a client that takes brotli or gzip', async () => {
    const query = `{ author { ${names} } }`
    expect(await codingOf(query, 'gzip, br')).toBe('br')
    expect(await codingOf(query, 'gzip')).toBe('gzip')
    expect(await codingOf(query, 'identity')).toBeUndefined()
    expect(await codingOf('{ author { name } }', 'gzip, br')).toBeUndefined()
  })

  test('of a mutation is not compressed, because its length would tell of a secret in it', async () => {
    const query = `mutation { update_author(where: {}, _set: {name: "same"}) { returning { ${names} } } }`
    expect(await codingOf(query, 'gzip, br')).toBeUndefined()
  })
})
