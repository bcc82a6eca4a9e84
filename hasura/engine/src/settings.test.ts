import { describe, expect, test } from 'vitest'
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
    ['HASURA_GRAPHQL_ENABLE_ALLOWLIST', 'perhaps'],
  ])('refuses %s=%s by its name', (name, value) => {
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
  ])('what would guard nothing, or contradicts itself, is refused: %o', (settings, problem) => {
    const env = Object.fromEntries(
      Object.entries(settings).map(([name, value]) => [`HASURA_GRAPHQL_${name}`, value]),
    )
    const result = readSettings(env)
    expect(result.kind === 'invalid' && result.problems.join()).toContain(problem)
  })
})
