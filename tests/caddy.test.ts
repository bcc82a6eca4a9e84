import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePorts } from '@commerce-graph/local-postgres'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

const caddyfile = path.resolve(import.meta.dirname, '../deploy/Caddyfile')
/** One that `go install` built doesn't know its version. Earlier ones may give up where no connection is made. */
const version = spawnSync('caddy', ['version'], { encoding: 'utf8' })
const hasCaddy = version.status === 0 && /^(unknown|v2\.(1[1-9]|[2-9]\d)\.)/.test(version.stdout)
const withCaddy = (name: string): string =>
  hasCaddy ? name : `${name} (skipped: no caddy 2.11 or later on the PATH)`

describe.skipIf(!hasCaddy)(withCaddy('the proxy of the compose file'), () => {
  const received: string[] = []
  const servers: Server[] = []
  const stopped = new AbortController()
  let folder: string
  let url: string

  /** Answers with the role's name. What goes to a path that ends in "lost" loses its connection. */
  async function serveAs(role: string): Promise<number> {
    const server = createServer((request, response) => {
      received.push(`${request.method} ${request.url}`)
      if (request.url?.endsWith('lost') === true) request.socket.destroy()
      else response.end(role)
    }).listen(0, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('the server has no port')
    return address.port
  }

  /** The file, with two processes of each role here in place of those that the network's names stand for: the first is down. */
  async function withProcessesHere(): Promise<string> {
    const ports: Readonly<Record<string, number>> = {
      gateway: await serveAs('gateway'),
      actions: await serveAs('actions'),
    }
    const down = await freePorts(1)
    return readFileSync(caddyfile, 'utf8').replaceAll(
      /dynamic a \{\s*name (\w+)[^}]*\}/g,
      (_, role: string) => `to 127.0.0.1:${down} 127.0.0.1:${ports[role]}`,
    )
  }

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'caddy-'))
    const port = await freePorts(1)
    url = `http://localhost:${port}`
    await writeFile(path.join(folder, 'Caddyfile'), `{\n\tadmin off\n}\n\n${await withProcessesHere()}`)
    spawn('caddy', ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'], {
      cwd: folder,
      env: { ...process.env, API_HOST: url, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      stdio: 'ignore',
      signal: stopped.signal,
      killSignal: 'SIGKILL',
    }).on('error', () => undefined)
    await vi.waitFor(async () => expect((await fetch(`${url}/livez`)).status).toBe(200), { timeout: 15_000 })
  })
  afterAll(async () => {
    stopped.abort()
    for (const server of servers) server.close()
    await rm(folder, { recursive: true, force: true })
  })

  test('is configured as Caddy expects it', async () => {
    const env = { ...process.env, API_HOST: 'api.example.com' }
    const { stdout } = await promisify(execFile)(
      'caddy',
      ['validate', '--config', caddyfile, '--adapter', 'caddyfile'],
      { env },
    )
    expect(stdout).toContain('Valid configuration')
  })

  test.each([
    ['/graphql', 'gateway'],
    ['/files/a', 'gateway'],
    ['/admin', 'gateway'],
    ['/admin/session/refresh', 'gateway'],
    ['/docs/guides', 'gateway'],
    ['/webhooks/stripe/a', 'gateway'],
    ['/.well-known/jwks.json', 'gateway'],
    ['/unsubscribe', 'actions'],
    ['/unsubscribe/a', 'actions'],
  ])('passes %s to the %s, though one of its processes is down', async (at, role) => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, async () => (await fetch(url + at, { method: 'POST', body: '{}' })).text()),
    )
    expect(new Set(answers)).toEqual(new Set([role]))
  })

  test.each(['/', '/v1/graphql', '/metrics', '/administration', '/healthz'])(
    'passes %s to none',
    async (at) => {
      received.length = 0
      expect((await fetch(url + at)).status).toBe(404)
      expect(received).toEqual([])
    },
  )

  test('sends a POST once, though its connection was lost', async () => {
    received.length = 0
    expect((await fetch(`${url}/graphql/lost`, { method: 'POST' })).status).toBe(502)
    expect(received).toEqual(['POST /graphql/lost'])
  })
})
