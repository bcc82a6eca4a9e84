import { generateKeyPairSync } from 'node:crypto'
import fc from 'fast-check'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfiguration } from './configuration.ts'
import { PlatformError } from './platform-error.ts'

describe('the configuration', () => {
  test('needs no variable: a test deployment on ports from 4000, in .data', () => {
    expect(readConfiguration({})).toMatchObject({
      ports: { kind: 'from', first: 4000 },
      dataDir: resolve('.data'),
      mode: 'test',
      databaseUrl: undefined,
    })
  })

  test('treats an empty variable as unset', () => {
    expect(readConfiguration({ DATABASE_URL: '', PORT: '' })).toEqual(readConfiguration({}))
  })

  test('reads networks of proxies', () => {
    const { trustedProxies } = readConfiguration({ TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8' })
    expect(trustedProxies).toEqual(['10.0.0.0/8', 'fd00::/8'])
  })

  test('names every invalid variable at once', () => {
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
      PUSH_WEBHOOK_SECRET: 'whsec_short',
    }
    const read = () => readConfiguration(wrong)
    expect(read).toThrow(PlatformError)
    for (const name of Object.keys(wrong)) expect(read).toThrow(name)
  })

  test('leaves room for the five following ports', () => {
    expect(() => readConfiguration({ PORT: '65531' })).toThrow('five more ports follow it')
  })

  test('adds passwords to their URLs, with any characters', () => {
    const password = 'p@ss:/w#r%d?[1]'
    const config = readConfiguration({
      DATABASE_URL: 'postgres://postgres@postgres:5432/commerce',
      PGPASSWORD: password,
      REDIS_URL: 'redis://redis:6379',
      REDIS_PASSWORD: password,
    })
    for (const url of [config.databaseUrl, config.redisUrl])
      expect(decodeURIComponent(new URL(url ?? '').password)).toBe(password)
    const own = { DATABASE_URL: 'postgres://postgres:own@host/commerce', PGPASSWORD: password }
    expect(readConfiguration(own).databaseUrl).toBe(own.DATABASE_URL)
  })

  test('takes a DKIM key in one line, and refuses one without a selector, a short one and what is no key', () => {
    const pem = (modulusLength: number) =>
      generateKeyPairSync('rsa', { modulusLength })
        .privateKey.export({ type: 'pkcs8', format: 'pem' })
        .toString()
        .replaceAll('\n', String.raw`\n`)
    const selector = { MAIL_DKIM_SELECTOR: 'mail2026' }
    expect(readConfiguration({ ...selector, MAIL_DKIM_PRIVATE_KEY: pem(2048) }).dkim).toMatchObject({
      selector: 'mail2026',
      privateKey: { type: 'private' },
    })
    for (const key of [pem(1024), 'no key']) {
      expect(() => readConfiguration({ ...selector, MAIL_DKIM_PRIVATE_KEY: key })).toThrow(
        'MAIL_DKIM_PRIVATE_KEY must be an RSA private key of 2048 bits',
      )
    }
    expect(() => readConfiguration(selector)).toThrow('MAIL_DKIM_SELECTOR needs MAIL_DKIM_PRIVATE_KEY')
  })

  test('opens the door for sign-up in a live deployment only with https and a mail server', () => {
    const url = 'http://platform.test/welcome#{token}'
    expect(readConfiguration({ SIGN_UP_URL: url }).signUpUrl).toBe(url)
    const read = () => readConfiguration({ COMMERCE_MODE: 'live', SIGN_UP_URL: url })
    expect(read).toThrow('SIGN_UP_URL begins with https://')
    expect(read).toThrow('SMTP_URL is needed with SIGN_UP_URL')
    expect(() => readConfiguration({ SIGN_UP_URL: 'https://platform.test/welcome' })).toThrow('{token}')
  })

  test.each(['dns.example', '192.0.2.53:x', ''])('takes DNS servers by address only: %j', (server) => {
    expect(() => readConfiguration({ DNS_SERVERS: `127.0.0.1:5353,${server}` })).toThrow('DNS_SERVERS')
  })

  test('stores files in a bucket only with all of its settings, and not in a folder as well', () => {
    const bucket = {
      FILES_S3_ENDPOINT: 'http://127.0.0.1:9000/',
      FILES_S3_BUCKET: 'commerce',
      FILES_S3_ACCESS_KEY_ID: 'key',
      FILES_S3_SECRET_ACCESS_KEY: 'Jd8sK2hQ5nVx',
    }
    expect(readConfiguration(bucket).filesBucket).toEqual({
      endpoint: 'http://127.0.0.1:9000',
      bucket: 'commerce',
      region: 'us-east-1',
      accessKeyId: 'key',
      secretAccessKey: 'Jd8sK2hQ5nVx',
    })
    expect(readConfiguration({}).filesBucket).toBeUndefined()
    for (const name of Object.keys(bucket))
      expect(() => readConfiguration({ ...bucket, [name]: undefined })).toThrow(
        `files in S3 also need ${name}`,
      )
    expect(() => readConfiguration({ ...bucket, FILES_FOLDER: '/files' })).toThrow('exclude each other')
    const live = () =>
      readConfiguration({ ...bucket, COMMERCE_MODE: 'live', FILES_URL: 'http://shop.test/files' })
    expect(live).toThrow('FILES_S3_ENDPOINT begins with https://')
    expect(live).toThrow('FILES_URL begins with https://')
    expect(() => readConfiguration({ FILES_URL: 'https://shop.test/images' })).toThrow(
      'FILES_URL must end with /files',
    )
  })

  test('refuses a live Stripe key in a test deployment, where it would move real money', () => {
    expect(() => readConfiguration({ STRIPE_SECRET_KEY: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc' })).toThrow(
      'STRIPE_SECRET_KEY is a live key',
    )
  })
})

describe('retention', () => {
  test('has defaults that delete no audit entry, and follows its variables', () => {
    expect(readConfiguration({}).retention).toEqual({
      events: 30,
      deliveries: 30,
      deletions: 90,
      messages: 90,
      sessions: 1,
      eventLog: 30,
      invocations: 30,
      audit: null,
    })
    const set = { RETENTION_EVENTS_DAYS: '7', RETENTION_EVENT_LOG_DAYS: '3', RETENTION_AUDIT_DAYS: '366' }
    expect(readConfiguration(set).retention).toMatchObject({
      events: 7,
      deliveries: 7,
      eventLog: 3,
      invocations: 3,
      audit: 366,
    })
  })

  test.each([
    ['RETENTION_EVENTS_DAYS', '3', 'RETENTION_EVENTS_DAYS must be from 4 to 3650 days'],
    ['RETENTION_SESSIONS_DAYS', '0', 'RETENTION_SESSIONS_DAYS must be from 1 to 3650 days'],
    ['RETENTION_AUDIT_DAYS', '30', 'RETENTION_AUDIT_DAYS must be from 31 to 3650 days'],
    ['RETENTION_OUTBOX_DAYS', '1.5', 'RETENTION_OUTBOX_DAYS must be a number of days'],
    [
      'RETENTION_DELIVERIES_DAYS',
      '31',
      'RETENTION_DELIVERIES_DAYS must be at most RETENTION_EVENTS_DAYS, which is 30',
    ],
    [
      'RETENTION_INVOCATIONS_DAYS',
      '31',
      'RETENTION_INVOCATIONS_DAYS must be at most RETENTION_EVENT_LOG_DAYS, which is 30',
    ],
  ])('refuses %s=%s', (name, value, problem) => {
    expect(() => readConfiguration({ [name]: value })).toThrow(problem)
  })
})

describe('a live deployment', () => {
  const live = {
    COMMERCE_MODE: 'live',
    DATABASE_URL: 'postgres://commerce:Xq7vT2mK9pLw@database:5432/commerce',
    HASURA_GRAPHQL_ADMIN_SECRET: '7f6cf3dd0f3a4a9c9e0d1b8a',
    ACTIONS_SECRET: 'b27c1d6f0e8a49ffb0c5d3a1',
    SMTP_URL: 'smtp://mailer:Jd8sK2hQ5nVx@mail:587',
    MAIL_FROM: 'orders@platform.test',
    STRIPE_SECRET_KEY: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
    PUSH_WEBHOOK_URL: 'https://push.platform.test/send',
    PUSH_WEBHOOK_SECRET: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  }

  test('needs COMMERCE_MODE=live and its own secrets', () => {
    expect(readConfiguration(live)).toMatchObject({ mode: 'live', mailFrom: 'orders@platform.test' })
  })

  test.each([
    ['HASURA_GRAPHQL_ADMIN_SECRET', 'change-me-sixteen-characters-or-more'],
    ['ACTIONS_SECRET', 'CHANGEME-CHANGEME-CHANGEME'],
    ['ACTIONS_SECRET', 'aaaaaaaaaaaaaaaaaaaaaaaa'],
    ['DATABASE_URL', 'postgres://postgres:change-me@postgres:5432/commerce'],
    ['DATABASE_URL', 'postgres://postgres:postgres@postgres:5432/commerce'],
    ['PGPASSWORD', 'change_me'],
    ['REDIS_PASSWORD', 'your-secret-here'],
    ['REDIS_URL', 'redis://:password123@redis:6379'],
    ['DATABASE_URL_ENGINE', 'postgres://engine:change-me@postgres:5432/commerce'],
    ['DATABASE_URL_ACTIONS', 'postgres://actions:change-me@postgres:5432/commerce'],
    ['DATABASE_URL_AUTH', 'postgres://auth:change-me@postgres:5432/commerce'],
    ['DATABASE_URL_WORKER', 'postgres://worker:change-me@postgres:5432/commerce'],
    ['DATABASE_URL_FEED', 'postgres://feed:change-me@postgres:5432/commerce'],
    ['DATABASE_DIRECT_URL', 'postgres://postgres:change-me@postgres:5432/commerce'],
    ['DATABASE_REPLICA_URLS', 'postgres://a:8NuPQ2yWq@one/commerce, postgres://a:password@two/commerce'],
    ['SMTP_URL', 'smtp://mailer:placeholder@mail:587'],
    ['ENCRYPTION_KEYS', `one:${Buffer.alloc(32, 1).toString('base64')}`],
    ['STRIPE_SECRET_KEY', 'sk_test_4eC39HqLyjWDarjtT1zdp7dc'],
    ['STRIPE_SECRET_KEY', 'rk_test_4eC39HqLyjWDarjtT1zdp7dc'],
    ['STRIPE_SECRET_KEY', 'sk_live_change_me'],
    ['STRIPE_API_URL', 'http://127.0.0.1:12111'],
    ['PAYPAL_API_URL', 'http://127.0.0.1:12112'],
    ['MAIL_FROM', ''],
    ['PUSH_WEBHOOK_SECRET', ''],
    ['PUSH_WEBHOOK_SECRET', `whsec_${Buffer.alloc(32, 1).toString('base64')}`],
  ])('is refused with %s=%s, and the variable’s name', (name, value) => {
    expect(() => readConfiguration({ ...live, [name]: value })).toThrow(new RegExp(`^${name} .*`))
  })

  test('reports all problems at once', () => {
    const read = () => readConfiguration({ ...live, MAIL_FROM: '', ACTIONS_SECRET: 'change-me-'.repeat(3) })
    expect(read).toThrow(/ACTIONS_SECRET .*\nMAIL_FROM /)
  })

  test('accepts random secrets in any form', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 24, maxLength: 24 }), (bytes) => {
        fc.pre(new Set(bytes).size > 12)
        for (const encoding of ['hex', 'base64url'] as const) {
          const secret = Buffer.from(bytes).toString(encoding)
          expect(() => readConfiguration({ ...live, ACTIONS_SECRET: secret })).not.toThrow()
        }
      }),
    )
  })
})
