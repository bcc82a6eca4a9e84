import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readSettings } from 'hasura-embedded'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { readConfiguration } from './configuration.ts'

const ROOT = join(import.meta.dirname, '../..')
const text = readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8')

const service = z.strictObject({
  image: z
    .string()
    .regex(/:[\w.-]*\d/, 'an image of a fixed version')
    .optional(),
  build: z.literal('.').optional(),
  command: z.array(z.string()).optional(),
  network_mode: z.string().optional(),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  ports: z.array(z.string()).default([]),
  healthcheck: z.looseObject({ test: z.array(z.string()) }).optional(),
  restart: z.literal('unless-stopped'),
})
const compose = z
  .strictObject({ services: z.record(z.string(), service), volumes: z.record(z.string(), z.null()) })
  .parse(parse(text))

/** `.env` as the example has it, with a key in the place of the one that everybody makes. */
const env: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    readFileSync(join(ROOT, '.env.example'), 'utf8')
      .split('\n')
      .filter((line) => /^[A-Z]/.test(line))
      .map((line) => line.split(/=(.*)/s).slice(0, 2) as [string, string]),
  ),
  ENCRYPTION_KEYS: `one:${Buffer.alloc(32, 1).toString('base64')}`,
}

const environmentOf = (name: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(compose.services[name]?.environment ?? {}).map(([key, value]) => [
      key,
      value.replaceAll(/\$\{(\w+)[^}]*\}/g, (_, variable: string) => env[variable] ?? ''),
    ]),
  )

test('the compose file waits for services and uses volumes that it has, and takes secrets from .env', () => {
  for (const { depends_on: dependencies, volumes, build, image } of Object.values(compose.services)) {
    for (const [name, { condition }] of Object.entries(dependencies)) {
      expect(compose.services).toHaveProperty(name)
      if (condition === 'service_healthy') expect(compose.services[name]?.healthcheck).toBeDefined()
    }
    for (const volume of volumes) expect(compose.volumes).toHaveProperty(volume.split(':')[0] ?? '')
    expect(build ?? image).toBeDefined()
  }
  const used = [...text.matchAll(/\$\{(\w+)/g)].map(([, name]) => name)
  expect(Object.keys(env).toSorted()).toEqual([...new Set(used)].toSorted())
})

test('its platform starts from the settings given, and its Hasura knows the same secrets and addresses', () => {
  const config = readConfiguration(environmentOf('platform'))
  expect(config).toMatchObject({ host: '0.0.0.0', ports: { kind: 'from', first: 4000 }, mode: 'test' })
  const hasura = environmentOf('hasura')
  const settings = readSettings(hasura)
  expect(settings).toMatchObject({
    settings: {
      databaseUrl: config.databaseUrl,
      adminSecret: config.adminSecret,
      // The third and the fourth of the platform's ports.
      authHook: { url: 'http://127.0.0.1:4002' },
    },
  })
  expect(hasura).toMatchObject({
    ACTIONS_BASE_URL: 'http://127.0.0.1:4003',
    ACTIONS_SECRET: config.actionsSecret,
  })
})

test('HASURA_URL without the secrets that Hasura has is refused', () => {
  expect(() => readConfiguration({ HASURA_URL: 'http://127.0.0.1:8080' })).toThrow(
    'HASURA_URL needs DATABASE_URL, HASURA_GRAPHQL_ADMIN_SECRET, ACTIONS_SECRET',
  )
})
