import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfiguration } from './configuration.ts'
import { PlatformError } from './platform-error.ts'

describe('the configuration', () => {
  test('needs nothing: a live deployment on ports from 4000, in .data', () => {
    expect(readConfiguration({})).toMatchObject({
      ports: { kind: 'from', first: 4000 },
      dataDir: resolve('.data'),
      mode: 'live',
      databaseUrl: undefined,
    })
  })

  test('takes an empty variable for one that is not set', () => {
    expect(readConfiguration({ DATABASE_URL: '', PORT: '' })).toEqual(readConfiguration({}))
  })

  test('reads networks of proxies', () => {
    const { trustedProxies } = readConfiguration({ TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' })
    expect(trustedProxies).toEqual(['10.0.0.0/8', 'fd00::/8'])
  })

  test('names every variable that is wrong, all at once', () => {
    const wrong = {
      PORT: '80a',
      DATABASE_URL: 'mysql://x',
      COMMERCE_MODE: 'production',
      TRUSTED_PROXIES: 'everybody',
      TRUSTED_ISSUERS: '[{}',
      HASURA_GRAPHQL_ADMIN_SECRET: 'short',
      LIMIT_DEPTH: 'deep',
      LIMIT_RATE_FREE: 'some',
      ENCRYPTION_KEYS: 'k1:short',
    }
    const read = () => readConfiguration(wrong)
    expect(read).toThrow(PlatformError)
    for (const name of Object.keys(wrong)) expect(read).toThrow(name)
  })

  test('leaves room for the five ports that follow', () => {
    expect(() => readConfiguration({ PORT: '65531' })).toThrow('five more ports follow it')
  })
})
