import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readSettings } from 'hasura-embedded'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { environmentVariables, readConfiguration } from './configuration.ts'
import { roleVariables } from './role-variables.ts'
import { secretVariables } from './secret-files.ts'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'docker-compose.yml'), 'utf8')

const service = z.strictObject({
  image: z
    .string()
    .regex(/:[\w.-]*\d/, 'an image of a fixed version')
    .optional(),
  build: z.literal('.').optional(),
  command: z.array(z.string()).optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  restart: z.literal('unless-stopped'),
  init: z.literal(true).optional(),
  mem_limit: z.string().regex(/^\d+[mg]$/),
  shm_size: z.string().optional(),
  stop_grace_period: z
    .string()
    .regex(/^\d+s$/)
    .optional(),
  read_only: z.literal(true).optional(),
  tmpfs: z.array(z.string()).optional(),
  cap_drop: z.tuple([z.literal('ALL')]).optional(),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
})
const compose = z
  .strictObject({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) })
  .parse(parse(text))

const example = Object.fromEntries(
  readFileSync(join(root, '.env.example'), 'utf8')
    .split('\n')
    .filter((line) => /^[A-Z]/.test(line))
    .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
)

/** Characters with a meaning in URLs and in YAML. */
const databasePassword = 'p@ss: /w#r%d?"'

/** `.env` with all values of the example filled in. */
const env: Readonly<Record<string, string>> = {
  ...example,
  POSTGRES_PASSWORD: databasePassword,
  REDIS_PASSWORD: databasePassword,
  HASURA_GRAPHQL_ADMIN_SECRET: '7f6cf3dd0f3a4a9c9e0d1b8a',
  ACTIONS_SECRET: 'b27c1d6f0e8a49ffb0c5d3a1',
  ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 1).toString('base64')}`,
}

const environmentOf = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => env[variable] ?? ''),
    ]),
  )

/** For a single machine only, where the engine and Postgres are the platform's own, which containers don't have. */
const notForContainers = ['BACKUP_ARCHIVE_SECONDS', 'BACKUP_FOLDER', 'DATA_LAYER']

/** For roles that run apart, which this file doesn't have. */
const ofRoles = Object.keys(roleVariables)

describe('the compose file', () => {
  test('refers only to its own services and volumes', () => {
    for (const { depends_on: dependencies, volumes, build, image } of Object.values(compose.services)) {
      for (const [name, { condition }] of Object.entries(dependencies)) {
        expect(compose.services).toHaveProperty(name)
        if (condition === 'service_healthy') expect(compose.services[name]?.healthcheck).toBeDefined()
      }
      for (const volume of volumes) expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '')
      expect(build ?? image).toBeDefined()
    }
  })

  test('passes every variable that the platform reads to it, and no other', () => {
    const passed = Object.keys(compose.services['platform']?.environment ?? {})
    expect([...passed, ...notForContainers, ...ofRoles].toSorted()).toEqual(
      [...environmentVariables].toSorted(),
    )
  })

  test('takes from .env the variables of the example, and each LIMIT_', () => {
    const used = new Set([...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name ?? ''))
    const named = [...used].filter((name) => !name.startsWith('LIMIT_'))
    expect(named.toSorted()).toEqual(Object.keys(example).toSorted())
  })

  test('does not start with the example’s secrets: they are empty, and required', () => {
    const secrets = Object.keys(example).filter((name) => /PASSWORD$|SECRET$|^ENCRYPTION_KEYS$/.test(name))
    for (const name of secrets) expect(example[name]).toBe('')
    // The webhook's secret is required only with a webhook.
    const needed = secrets.filter((name) => name !== 'PUSH_WEBHOOK_SECRET')
    expect(needed).toHaveLength(5)
    for (const name of needed) {
      expect(text).toContain(`\${${name}:?`)
    }
  })

  test('publishes ports on this machine only', () => {
    for (const { ports } of Object.values(compose.services))
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/)
    for (const name of ['platform', 'hasura'])
      expect(compose.services[name]).toMatchObject({ init: true, cap_drop: ['ALL'] })
    expect(compose.services['platform']).toMatchObject({ read_only: true })
  })
})

describe('the compose file’s platform and Hasura', () => {
  const config = readConfiguration(environmentOf('platform'))
  const hasura = environmentOf('hasura')

  test('start with these settings, and find each other by name', () => {
    expect(config).toMatchObject({
      host: '0.0.0.0',
      webhookHost: '0.0.0.0',
      actionsHost: '0.0.0.0',
      ports: { kind: 'from', first: 4000 },
      hasuraUrl: 'http://hasura:8080',
      smtpUrl: 'smtp://mail:1025',
      mode: 'test',
    })
    const addresses = [config.databaseUrl, config.redisUrl, config.hasuraUrl, config.smtpUrl]
    for (const address of addresses) expect(compose.services).toHaveProperty(new URL(address ?? '').hostname)
    expect(readSettings(hasura)).toMatchObject({
      // The third of the platform's ports is the webhook's; the actions have the fourth.
      settings: { adminSecret: config.adminSecret, authHook: { url: 'http://platform:4002' } },
    })
    expect(hasura).toMatchObject({
      ACTIONS_BASE_URL: 'http://platform:4003',
      ACTIONS_SECRET: config.actionsSecret,
      HASURA_GRAPHQL_ENABLE_CONSOLE: 'true',
    })
  })

  test('use the same database, with passwords of any characters', () => {
    const { username, hostname, pathname, password } = new URL(config.databaseUrl ?? '')
    const hasuraDatabase = new URL(hasura['HASURA_GRAPHQL_DATABASE_URL'] ?? '')
    expect(hasuraDatabase).toMatchObject({ username, hostname, pathname, password: '' })
    expect(hasura['PGPASSWORD']).toBe(databasePassword)
    expect(decodeURIComponent(password)).toBe(databasePassword)
    expect(decodeURIComponent(new URL(config.redisUrl ?? '').password)).toBe(databasePassword)
  })
})

test('services read only variables that the configuration knows', () => {
  const known = new Set([...environmentVariables, 'CI', 'VITEST', 'NODE_ENV', 'DATA_LAYER'])
  const services = ['gateway', 'actions', 'auth-webhook', 'rate-limits', 'platform', 'hasura/data-layer']
  const read = services.flatMap((folder) =>
    readdirSync(join(root, folder, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.test\.ts$|testing/.test(file))
      .flatMap((file) => [
        ...readFileSync(join(root, folder, 'src', file), 'utf8').matchAll(/process\.env(?:\.|\[')([A-Z_]+)/g),
      ])
      .map(([, name]) => name ?? ''),
  )
  expect(read.filter((name) => !known.has(name))).toEqual([])
})

test('the platform of the compose file starts the same with its secrets in files', () => {
  const folder = mkdtempSync(join(tmpdir(), 'compose-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const given = environmentOf('platform')
  const inFiles = Object.entries(given).map(([name, value]): [string, string] => {
    if (value === '' || !secretVariables.some((secret) => secret === name)) return [name, value]
    const path = join(folder, name)
    writeFileSync(path, `${value}\n`)
    return [`${name}_FILE`, path]
  })
  expect(inFiles.filter(([name]) => name.endsWith('_FILE')).length).toBeGreaterThan(5)
  expect(readConfiguration(Object.fromEntries(inFiles))).toEqual(readConfiguration(given))
})

test('HASURA_URL without Hasura’s secrets is refused', () => {
  expect(() => readConfiguration({ HASURA_URL: 'http://127.0.0.1:8080' })).toThrow(
    'HASURA_URL needs DATABASE_URL, HASURA_GRAPHQL_ADMIN_SECRET, ACTIONS_SECRET',
  )
})
