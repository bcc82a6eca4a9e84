import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { z } from 'zod'
import { newEncryptionKey, formatEncryptionKeys } from '@commerce-graph/secret-box'
import { environmentVariables, readConfiguration } from './configuration.ts'
import { roleProblems } from './role-problems.ts'
import { type Role, roles } from './roles.ts'
import { secretVariables } from './secret-files.ts'
import { stopTimeoutMs } from './started-parts.ts'

const root = join(import.meta.dirname, '../..')
const text = readFileSync(join(root, 'deploy/compose.production.yml'), 'utf8')
const caddyfile = readFileSync(join(root, 'deploy/Caddyfile'), 'utf8')

const service = z.looseObject({
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).default({}),
  secrets: z.array(z.string()).default([]),
  depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
  networks: z.union([
    z.array(z.string()),
    z.record(z.string(), z.object({ ipv4_address: z.string().optional() })),
  ]),
  read_only: z.literal(true),
  cap_drop: z.tuple([z.literal('ALL')]),
  security_opt: z.tuple([z.literal('no-new-privileges:true')]),
  mem_limit: z.string().regex(/^\d+[mg]$/),
  cpus: z.number(),
  pids_limit: z.number(),
  image: z.string().regex(/^\$\{\w+:\?/, 'an image that is named by a variable without a default'),
})
const compose = z
  .looseObject({
    services: z.record(z.string(), service),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
  })
  .parse(parse(text, { merge: true }))

const given: Readonly<Record<string, string>> = {
  COMMERCE_IMAGE: 'commerce@sha256:0',
  CADDY_IMAGE: 'caddy@sha256:0',
  COMMERCE_PLACE: 'eu1',
  API_HOST: 'api.example.com',
  FILES_S3_ENDPOINT: 'https://s3.example.com',
  FILES_S3_BUCKET: 'files',
  FILES_S3_REGION: 'eu-central-1',
  MAIL_FROM: 'orders@platform.test',
}

const databaseUrl = 'postgres://commerce:Xq7vT2mK9pLw@database:5432/commerce'
const secrets: Readonly<Record<string, string>> = {
  database_url: databaseUrl,
  database_url_engine: databaseUrl,
  database_url_feed: databaseUrl,
  database_url_actions: databaseUrl,
  database_url_auth: databaseUrl,
  database_url_worker: databaseUrl,
  redis_url: 'rediss://:Jd8sK2hQ5nVx@redis:6379',
  admin_secret: '7f6cf3dd0f3a4a9c9e0d1b8a',
  actions_secret: 'b27c1d6f0e8a49ffb0c5d3a1',
  encryption_keys: formatEncryptionKeys([newEncryptionKey()]),
  stripe_secret_key: 'sk_live_4eC39HqLyjWDarjtT1zdp7dc',
  smtp_url: 'smtp://mailer:Jd8sK2hQ5nVx@mail:587',
  files_s3_access_key_id: 'AKIDEXAMPLEKEY7Q',
  files_s3_secret_access_key: 'wJalrXUtnFEMIK7MDENGbPxRfiCYzzz',
}

/** The environment of a service, with its secrets in a folder of this machine. */
function environmentOf(name: string, folder: string): Readonly<Record<string, string>> {
  const { environment = {} } = compose.services[name] ?? {}
  return Object.fromEntries(
    Object.entries(environment).map(([variable, value]) => [
      variable,
      value
        .replaceAll(/\$\{(\w+)[^}]*\}/g, (_, named: string) => given[named] ?? '')
        .replace('/run/secrets', folder),
    ]),
  )
}

function secretsFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'secrets-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  for (const [name, value] of Object.entries(secrets)) writeFileSync(join(folder, name), value)
  return folder
}

const rolesOf = (name: string): readonly string[] =>
  compose.services[name]?.command?.at(-1) === name ? [name] : []

describe('the compose file of production', () => {
  test('has a service for each role, which has all settings that its role needs, and no others’ secrets', () => {
    expect(Object.keys(compose.services).flatMap(rolesOf).toSorted()).toEqual([...roles].toSorted())
    const folder = secretsFolder()
    for (const role of roles) {
      const config = readConfiguration(environmentOf(role, folder))
      expect([role, roleProblems(new Set<Role>([role]), config)]).toEqual([role, []])
      const files = Object.values(environmentOf(role, folder))
        .filter((value) => value.startsWith(folder))
        .map((value) => basename(value))
      expect([role, compose.services[role]?.secrets.toSorted()]).toEqual([role, files.toSorted()])
    }
  })

  test('refers only to its own services and secrets, and to variables that the platform reads', () => {
    for (const { depends_on: dependencies, secrets: used } of Object.values(compose.services)) {
      for (const name of Object.keys(dependencies)) expect(compose.services).toHaveProperty(name)
      for (const name of used) expect(compose.secrets).toHaveProperty(name)
    }
    const known = new Set([...environmentVariables, ...secretVariables.map((name) => `${name}_FILE`)])
    for (const name of ['migrate', ...roles])
      for (const variable of Object.keys(compose.services[name]?.environment ?? {}))
        expect(known).toContain(variable)
  })

  test('has no default: each variable is required, and no secret is a value', () => {
    const named = [...text.matchAll(/\$\{(\w+)([^}]*)\}/g)]
    const required = new Set(named.filter(([, , rest]) => rest?.startsWith(':?')).map(([, name]) => name))
    for (const [, name, rest] of named) {
      expect(rest).not.toMatch(/^:?-/)
      expect(required).toContain(name)
    }
    for (const { environment } of Object.values(compose.services))
      for (const name of secretVariables) expect(environment).not.toHaveProperty(name)
  })

  test('has a proxy that reaches the gateway by one network alone, with the address that the gateway trusts', () => {
    const { proxy, gateway } = compose.services
    const own = proxy?.networks ?? []
    const common = (Array.isArray(own) ? own : Object.keys(own)).filter(
      (name) => Array.isArray(gateway?.networks) && gateway.networks.includes(name),
    )
    expect(common).toEqual(['inside'])
    expect(own).toMatchObject({ inside: { ipv4_address: '172.30.0.2' } })
    expect(gateway?.environment['TRUSTED_PROXIES']).toBe('172.30.0.2/32')
  })

  test('has a proxy that sends paths to services of the file', () => {
    const targets = [...caddyfile.matchAll(/dynamic a \{\s*name (\w+)\s*port (\d+)/g)].map(
      ([, name, port]) => `${name}:${port}`,
    )
    expect(targets.toSorted()).toEqual(['actions:4003', 'gateway:4000'])
  })
})

const givesUp = String.raw`gives up stopping after ${stopTimeoutMs / 1_000} seconds\.\s+`

test.each([
  ['deploy/compose.production.yml', /&role\n[^&]*stop_grace_period: (\d+)s/],
  ['deploy/systemd/commerce@.service', new RegExp(String.raw`${givesUp}TimeoutStopSec=(\d+)`)],
  ['docker-compose.yml', new RegExp(String.raw`${givesUp}stop_grace_period: (\d+)s`)],
  ['docs/operating.md', /Give the process (\d+) seconds/],
  ['docs/upgrading.md', /\((\d+) seconds at most\)/],
])('%s gives the platform longer than it takes to stop', (file, period) => {
  const [, seconds] = period.exec(readFileSync(join(root, file), 'utf8')) ?? []
  expect(Number(seconds) * 1_000).toBeGreaterThan(stopTimeoutMs)
})

test('the unit of a role lets V8 protect its memory, and keeps data where it may write', () => {
  const unit = readFileSync(join(root, 'deploy/systemd/commerce@.service'), 'utf8')
  expect(unit).toMatch(/^SystemCallFilter=.*@pkey/m)
  expect(unit).toMatch(/^Environment=DATA_DIR=%S\/commerce$/m)
  expect(unit).toMatch(/^StateDirectory=commerce$/m)
})

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

test.skipIf(!hasSystemd)(
  `systemd understands the units${hasSystemd ? '' : ' (skipped: no systemd-analyze is installed)'}`,
  () => {
    const units = ['commerce@.service', 'commerce-migrate.service'].map((name) =>
      join(root, 'deploy/systemd', name),
    )
    const { stderr } = spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
    // A machine without Node at this place has no other complaint.
    const complaints = stderr.split('\n').filter((line) => line !== '' && !line.includes('/usr/bin/node'))
    expect(complaints).toEqual([])
  },
)
