import { describe, expect, test } from 'vitest'
import { readSettings } from './settings.ts'

describe('readSettings', () => {
  test("reads Hasura's variables, and its defaults where they are absent", () => {
    expect(
      readSettings({
        HASURA_GRAPHQL_ADMIN_SECRET: 's',
        HASURA_GRAPHQL_AUTH_HOOK: 'http://localhost:9000/auth',
        HASURA_GRAPHQL_AUTH_HOOK_MODE: 'post',
        HASURA_GRAPHQL_STRINGIFY_NUMERIC_TYPES: 'True',
        HASURA_GRAPHQL_ENABLED_APIS: 'graphql, pgdump',
        HASURA_GRAPHQL_CORS_DOMAIN: 'https://a.example, https://b.example',
        HASURA_GRAPHQL_LIVE_QUERIES_MULTIPLEXED_REFETCH_INTERVAL: '250',
        HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: '7',
        PATH: '/bin',
      }),
    ).toMatchObject({
      kind: 'settings',
      settings: {
        adminSecret: 's',
        authHook: { url: 'http://localhost:9000/auth', mode: 'POST' },
        stringifyNumericTypes: true,
        inferFunctionPermissions: true,
        enabledApis: ['graphql'],
        cors: { kind: 'some', origins: ['https://a.example', 'https://b.example'] },
        port: 8080,
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
    ['HASURA_GRAPHQL_JWT_SECRET', '{"type":"HS256"}'],
    ['HASURA_GRAPHQL_ENABLE_ALLOWLIST', 'perhaps'],
  ])('refuses %s=%s by its name', (name, value) => {
    const result = readSettings({ [name]: value })
    expect(result).toMatchObject({ kind: 'invalid' })
    expect(result.kind === 'invalid' && result.problems.join()).toContain(name)
  })

  test('a webhook without an admin secret would guard nothing, so it is refused', () => {
    expect(readSettings({ HASURA_GRAPHQL_AUTH_HOOK: 'http://localhost:9000' })).toMatchObject({
      kind: 'invalid',
    })
  })
})
