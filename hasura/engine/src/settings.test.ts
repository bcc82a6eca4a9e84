import { format } from 'prettier'
import { describe, expect, test } from 'vitest'
import { environment, notApplied } from './environment.ts'
import { readSettings } from './settings.ts'

const jwtSecret = JSON.stringify({ type: 'HS256', key: 'k'.repeat(32) })

describe('readSettings', () => {
  test("reads Hasura's variables, and its defaults where they are absent", () => {
    expect(
      readSettings({
        HASURA_GRAPHQL_ADMIN_SECRET: 's',
        HASURA_GRAPHQL_AUTH_HOOK: 'http://localhost:9000/auth',
        HASURA_GRAPHQL_AUTH_HOOK_MODE: 'post',
        HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'True',
        HASURA_GRAPHQL_ENABLE_APOLLO_FEDERATION: 'true',
        HASURA_GRAPHQL_ENABLED_APIS: 'GraphQL, pgdump,metrics',
        HASURA_GRAPHQL_CORS_DOMAIN: 'https://a.example, https://b.example',
        HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '250',
        HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: '7',
        HASURA_GRAPHQL_EVENTS_FETCH_INTERVAL: '0',
        HASURA_GRAPHQL_ASYNC_ACTIONS_FETCH_BATCH_SIZE: '3',
        HASURA_GRAPHQL_SERVER_HOST: '*',
        HASURA_GRAPHQL_LOG_LEVEL: 'Debug',
        PATH: '/bin',
      }),
    ).toMatchObject({
      kind: 'settings',
      settings: {
        adminSecret: 's',
        authHook: { url: 'http://localhost:9000/auth', mode: 'POST' },
        stringifyNumericTypes: true,
        apolloFederation: true,
        inferFunctionPermissions: true,
        remoteSchemaPermissions: false,
        defaultNamingConvention: 'hasura-default',
        enabledApis: ['graphql', 'pgdump'],
        cors: { kind: 'some', origins: ['https://a.example', 'https://b.example'] },
        port: 8080,
        host: '::',
        logLevel: 'debug',
        events: { fetchIntervalMs: 10, actionsFetchBatchSize: 3 },
        liveQueries: { intervalMs: 250, batchSize: 100 },
        streamingQueries: { intervalMs: 1_000, batchSize: 100 },
        webSockets: { keepAliveMs: 7_000, initTimeoutMs: 3_000 },
      },
    })
  })

  test.each([
    ['HASURA_GRAPHQL_SERVER_PORT', 'eighty'],
    ['HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES', 'perhaps'],
    ['HASURA_GRAPHQL_AUTH_HOOK', 'localhost'],
    ['HASURA_GRAPHQL_DEFAULT_NAMING_CONVENTION', 'camelCase'],
    ['HASURA_GRAPHQL_ENABLE_ALLOWLIST', 'perhaps'],
    ['HASURA_GRAPHQL_ENABLED_APIS', 'graphql,meta'],
  ])('refuses %s=%s and names the variable', (name, value) => {
    const result = readSettings({ [name]: value })
    expect(result).toMatchObject({ kind: 'invalid' })
    expect(result.kind === 'invalid' && result.problems.join()).toContain(name)
  })

  test.each([
    [{ AUTH_HOOK: 'http://localhost:9000' }, '--auth-hook'],
    [{ JWT_SECRET: jwtSecret }, '--jwt-secret'],
    [{ UNAUTHORIZED_ROLE: 'anonymous' }, '--unauthorized-role'],
    [
      { ADMIN_SECRET: 's', AUTH_HOOK: 'http://localhost:9000', JWT_SECRET: jwtSecret },
      'Both webhook and JWT mode',
    ],
    [
      { ADMIN_SECRET: 's', AUTH_HOOK: 'http://localhost:9000', UNAUTHORIZED_ROLE: 'anonymous' },
      '--unauthorized-role',
    ],
    [{ ADMIN_SECRET: 's', JWT_SECRET: 'no json' }, 'HASURA_GRAPHQL_JWT_SECRET: is no JSON'],
    [{ ADMIN_SECRET: 's', JWT_SECRETS: '[{"type":"HS256"}]' }, 'HASURA_GRAPHQL_JWT_SECRETS: 0: key and'],
  ])('settings that would protect nothing, or that conflict, are refused: %o', (settings, problem) => {
    const env = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`HASURA_GRAPHQL_${name}`, value]),
    )
    const result = readSettings(env)
    expect(result.kind === 'invalid' && result.problems.join()).toContain(problem)
  })

  test('several admin secrets, a database for metadata alone, and variables without effect are recognised', () => {
    const read = (env: Record<string, string>) => readSettings(env)
    expect(read({ HASURA_GRAPHQL_ADMIN_SECRETS: '["a","b"]' })).toMatchObject({
      settings: { adminSecret: ['a', 'b'] },
    })
    expect(read({ HASURA_GRAPHQL_ACCESS_KEY: 'k' })).toMatchObject({ settings: { adminSecret: 'k' } })
    expect(read({ HASURA_GRAPHQL_ADMIN_SECRETS: 'a' })).toMatchObject({ kind: 'invalid' })
    expect(read({ HASURA_GRAPHQL_METADATA_DATABASE_URL: 'postgres://m' })).toMatchObject({
      settings: { databaseUrl: 'postgres://m' },
    })
    expect(
      read({
        HASURA_GRAPHQL_METADATA_DATABASE_URL: 'postgres://m',
        HASURA_GRAPHQL_DATABASE_URL: 'postgres://d',
      }),
    ).toMatchObject({ kind: 'invalid' })
    expect(
      read({ HASURA_GRAPHQL_ENABLE_CONSOLE: 'true', HASURA_GRAPHQL_TYPO: '1', HASURA_X: '1' }),
    ).toMatchObject({
      warnings: [
        expect.stringContaining('HASURA_GRAPHQL_ENABLE_CONSOLE has no effect: there is no console'),
        'HASURA_GRAPHQL_TYPO has no effect: this engine does not know it',
      ],
    })
  })
})

test("a database's URL may contain other variables", () => {
  const url = 'postgres://{{DB_USER}}:{{DB_PASSWORD}}@db/shop'
  const read = (env: Record<string, string>) => readSettings({ HASURA_GRAPHQL_DATABASE_URL: url, ...env })
  expect(read({ DB_USER: 'me', DB_PASSWORD: 'mine' })).toMatchObject({
    settings: { databaseUrl: 'postgres://me:mine@db/shop' },
  })
  expect(read({ DB_USER: 'me' })).toEqual({
    kind: 'invalid',
    problems: ["HASURA_GRAPHQL_DATABASE_URL: environment variable 'DB_PASSWORD' not set"],
  })
})

test('experimental features are obeyed, always on, or reported as without effect', () => {
  const names = 'inherited_roles,Apollo_Federation, hide_stream_fields,disable_postgres_arrays,typo'
  expect(readSettings({ HASURA_GRAPHQL_EXPERIMENTAL_FEATURES: names })).toMatchObject({
    settings: { apolloFederation: true, experimentalFeatures: ['hide_stream_fields'] },
    warnings: [
      'disable_postgres_arrays of HASURA_GRAPHQL_EXPERIMENTAL_FEATURES has no effect',
      'typo of HASURA_GRAPHQL_EXPERIMENTAL_FEATURES has no effect',
    ],
  })
})

test('SETTINGS.md describes the settings (vitest -u writes it)', async () => {
  const rows = Object.entries(environment.shape).map(([name, schema]) => {
    const { data } = schema.safeParse(undefined)
    const fallback = Array.isArray(data) || typeof data !== 'object' ? String(data ?? '') : ''
    const shown = fallback === '' ? '' : `\`${fallback}\``
    return `| \`${name}\` | ${shown} | ${schema.description ?? ''} |`
  })
  const ignored = Object.entries(notApplied).map(([name, reason]) => `| \`${name}\` | ${reason} |`)
  const text = `# Settings

Hasura's environment variables. A value that the engine can't obey, or that would lock clients out, is refused at the start. A variable
without effect causes a warning.

| Variable | Default | What it does |
| --- | --- | --- |
${rows.join('\n')}

## Accepted, without effect

| Variable | Why |
| --- | --- |
${ignored.join('\n')}
`
  const formatted = await format(text, { parser: 'markdown', printWidth: 110 })
  await expect(formatted).toMatchFileSnapshot('../SETTINGS.md')
})
