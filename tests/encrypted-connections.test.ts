import { freePorts, startLocalPostgres } from '@commerce-graph/local-postgres'
import { PlatformProcess, prepareDatabase } from '@commerce-graph/platform/testing'
import postgres from '@commerce-graph/postgres-driver'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, copyFileSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bearer, createClient } from './support/graphql-client.ts'
import { longTest, longTests } from './support/long-tests.ts'
import { partUrlsOf } from './support/part-urls.ts'
import { hasRedis } from './support/redis-process.ts'
import { createCustomer } from './support/shop.ts'

const hasOpenssl = spawnSync('openssl', ['version']).status === 0
const missing = hasRedis && hasOpenssl ? '' : ' (skipped: redis-server or openssl is not installed)'
const name = `a platform whose Postgres and Redis have certificates of their own authority${missing}`

describe.skipIf(!longTests || missing !== '')(longTest(name), () => {
  const started = new AsyncDisposableStack()
  const folder = mkdtempSync(path.join(tmpdir(), 'certificates-'))
  let env: Readonly<Record<string, string>>
  let admin: postgres.Sql

  beforeAll(async () => {
    started.defer(() => rmSync(folder, { recursive: true, force: true }))
    makeCertificates(folder)
    const server = await startLocalPostgres({
      dataDir: path.join(folder, 'postgres'),
      databases: ['commerce'],
      durable: false,
    })
    started.defer(() => server.stop())
    admin = postgres(server.url, { max: 1, onnotice: () => undefined })
    started.defer(() => admin.end())
    await encrypt(admin, folder)
    const redisPort = await startRedis(started, folder)
    const databaseUrl = new URL(server.url)
    databaseUrl.hostname = 'localhost'
    databaseUrl.searchParams.set('sslmode', 'verify-full')
    await prepareDatabase({ databaseUrl: server.url, adminSecret: randomBytes(16).toString('hex') })
    const parts = Object.entries(await partUrlsOf(server.url)).map(([part, url]) => {
      const address = new URL(databaseUrl)
      const { username, password } = new URL(url ?? '')
      Object.assign(address, { username, password })
      return [`DATABASE_URL_${part.toUpperCase()}`, address.href]
    })
    env = {
      DATABASE_URL: databaseUrl.href,
      ...(Object.fromEntries(parts) as Record<string, string>),
      REDIS_URL: `rediss://localhost:${redisPort}`,
    }
  }, 120_000)
  afterAll(() => started.disposeAsync(), 60_000)

  test('refuses them while it does not know the authority', async () => {
    const platform = await PlatformProcess.create()
    started.defer(() => platform.remove())
    await expect(platform.start(env)).rejects.toThrow(/DATABASE_URL can't be used: .*certificate/)
  }, 60_000)

  test('serves requests over encrypted connections alone when NODE_EXTRA_CA_CERTS names it', async () => {
    const platform = await PlatformProcess.create()
    started.defer(() => platform.remove())
    const ready = await platform.start({ ...env, NODE_EXTRA_CA_CERTS: path.join(folder, 'ca.pem') })
    await createCustomer(createClient(ready.graphqlUrl, bearer(ready.liveKey)))
    const connections = await admin<{ ssl: boolean }[]>`
      SELECT s.ssl FROM pg_stat_activity a JOIN pg_stat_ssl s USING (pid)
      WHERE a.backend_type = 'client backend' AND a.pid <> pg_backend_pid()`
    expect(connections.length).toBeGreaterThan(3)
    expect(connections.every(({ ssl }) => ssl)).toBe(true)
  }, 180_000)
})

/** An authority, and a certificate of this machine. */
function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'ignore' })
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2']
  openssl(...request, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/CN=Test authority')
  openssl(
    ...[...request, '-keyout', 'server.key', '-out', 'server.pem', '-subj', '/CN=127.0.0.1'],
    ...['-CA', 'ca.pem', '-CAkey', 'ca.key', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
    ...['-addext', 'basicConstraints=critical,CA:FALSE'],
  )
}

/** The files belong to the account that the server runs as. */
async function encrypt(admin: postgres.Sql, folder: string): Promise<void> {
  const [{ home }] = await admin<[{ home: string }]>`SELECT current_setting('data_directory') AS home`
  const { uid, gid } = statSync(path.join(home, 'PG_VERSION'))
  for (const file of ['server.key', 'server.pem']) {
    copyFileSync(path.join(folder, file), path.join(home, file))
    chownSync(path.join(home, file), uid, gid)
  }
  await admin`ALTER SYSTEM SET ssl_cert_file = 'server.pem'`
  await admin`ALTER SYSTEM SET ssl_key_file = 'server.key'`
  await admin`ALTER SYSTEM SET ssl = on`
  await admin`SELECT pg_reload_conf()`
}

async function startRedis(started: AsyncDisposableStack, folder: string): Promise<number> {
  const port = await freePorts(1)
  const file = (one: string) => path.join(folder, one)
  const settings = ['--port', '0', '--tls-port', String(port), '--bind', '127.0.0.1', '--save', '']
  const certificates = ['--tls-cert-file', file('server.pem'), '--tls-key-file', file('server.key')]
  const authority = ['--tls-ca-cert-file', file('ca.pem'), '--tls-auth-clients', 'no']
  const child = spawn('redis-server', [...settings, ...certificates, ...authority], {
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  started.defer(async () => {
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })
  for await (const chunk of child.stdout)
    if (String(chunk).includes('Ready to accept connections')) return port
  throw new Error('Redis has ended')
}
