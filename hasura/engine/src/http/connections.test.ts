import { KeepAliveClients } from '@commerce-graph/http-server/testing'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { EngineOptions } from '../engine-options.ts'
import { startEngine } from '../engine.ts'
import { readSettings } from '../settings.ts'
import { adminHeaders, type ServedDatabase, serveDatabase } from './testing/serve-database.ts'

let closing: (() => unknown)[]
beforeEach(() => {
  closing = []
})
afterEach(async () => {
  for (const close of closing.reverse()) await close()
})

async function serve(options: Partial<EngineOptions>): Promise<ServedDatabase> {
  const served = await serveDatabase(
    `create table page (id int primary key, text text); insert into page select 1, repeat('x', 32000000)`,
    options,
  )
  closing.push(() => served.close())
  return served
}

/** Socket limits from environment variables. */
function socketsFrom(env: Record<string, string>) {
  const read = readSettings(env)
  if (read.kind === 'invalid') throw new Error(read.problems.join('\n'))
  return read.settings.sockets
}

async function open({ engine }: ServedDatabase): Promise<Socket> {
  const socket = connect(engine.port ?? 0, '127.0.0.1')
  socket.on('error', () => undefined)
  closing.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

async function openWebSocket({ engine }: ServedDatabase): Promise<WebSocket> {
  const socket = new WebSocket(
    `${engine.url?.replace('http', 'ws') ?? ''}/v1/graphql`,
    'graphql-transport-ws',
  )
  closing.push(() => socket.terminate())
  await once(socket, 'open')
  return socket
}

/** The text that the server sends to a new connection after a request. */
async function firstAnswer(served: ServedDatabase): Promise<string> {
  const socket = await open(served)
  socket.write('GET /v1/version HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  let text = ''
  for await (const chunk of socket) text += String(chunk)
  return text
}

describe('connections', () => {
  test('from one address are bounded, WebSockets included, and the next is accepted when one has ended', async () => {
    const served = await serve({ sockets: socketsFrom({ HASURA_GRAPHQL_MAX_CONNECTIONS_PER_ADDRESS: '2' }) })
    const first = await open(served)
    await openWebSocket(served)
    const refused = await firstAnswer(served)
    expect(refused).toContain('HTTP/1.1 429')
    expect(refused).toContain('at most 2 connections may be open from one address')
    first.destroy()
    await expect.poll(() => firstAnswer(served)).toContain('HTTP/1.1 200')
  })

  test('of a trusted proxy are bounded in total only', async () => {
    const sockets = socketsFrom({
      HASURA_GRAPHQL_MAX_CONNECTIONS: '3',
      HASURA_GRAPHQL_MAX_CONNECTIONS_PER_ADDRESS: '1',
      HASURA_GRAPHQL_TRUSTED_PROXIES: '127.0.0.0/8',
    })
    const served = await serve({ sockets })
    await open(served)
    await open(served)
    expect(await firstAnswer(served)).toContain('HTTP/1.1 200')
    await open(served)
    expect(await firstAnswer(served)).toContain('HTTP/1.1 503')
  })
})

describe('a client that reads nothing of its answer is disconnected, and frees its connection', () => {
  /** More bytes than the operating system buffers for a connection. */
  const large = `select repeat('x', 24000000) as text`
  // Only one connection is allowed, so the next one is accepted only after the first has ended.
  const sockets = { connections: 1, sendMilliseconds: 300 }

  test('by HTTP', async () => {
    const served = await serve({ sockets })
    const socket = await open(served)
    const body = JSON.stringify({ type: 'run_sql', args: { sql: large } })
    socket.pause()
    socket.write(
      `POST /v2/query HTTP/1.1\r\nHost: x\r\nX-Hasura-Admin-Secret: secret\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await once(socket, 'readable')
    await expect.poll(() => firstAnswer(served), { timeout: 20_000 }).toContain('HTTP/1.1 200')
  }, 60_000)

  test('by WebSocket', async () => {
    const served = await serve({
      sockets: { ...sockets, connections: 2 },
      // Neither the limit of buffered bytes nor unanswered pings end it.
      webSockets: { maxBufferedBytes: 1_000_000_000, keepAliveMs: 600_000 },
    })
    // The query runs in process, because an HTTP client would keep its connection.
    const tables = [{ table: { schema: 'public', name: 'page' } }]
    const sources = served.engine.snapshot.storedMetadata.sources.map((source) => ({ ...source, tables }))
    await served.engine.replaceMetadata({ version: 3, sources })
    const socket = await openWebSocket(served)
    socket.send(JSON.stringify({ type: 'connection_init', payload: { headers: adminHeaders } }))
    await once(socket, 'message')
    socket.pause()
    for (const id of ['1', '2'])
      socket.send(JSON.stringify({ type: 'subscribe', id, payload: { query: '{ page { text } }' } }))
    await open(served)
    await expect.poll(() => firstAnswer(served), { timeout: 20_000 }).toContain('HTTP/1.1 200')
  }, 60_000)
})

test('frequent requests of /healthz cause few statements', async () => {
  const served = await serve({})
  let questions = 0
  const { hostname, port } = new URL(served.databaseUrl)
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname)
    for (const socket of [client, server]) socket.on('error', () => undefined)
    client.on('data', (chunk) => (questions += chunk.toString('latin1').split('select 1').length - 1))
    client.pipe(server).pipe(client)
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  closing.push(() => proxy.close())
  const databaseUrl = new URL(served.databaseUrl)
  databaseUrl.hostname = '127.0.0.1'
  databaseUrl.port = String((proxy.address() as AddressInfo).port)
  const engine = await startEngine({
    databaseUrl: databaseUrl.href,
    adminSecret: 'secret',
    port: 0,
    logger: pino({ level: 'silent' }),
  })
  closing.push(() => engine.stop())
  const before = questions
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => (await fetch(`${engine.url ?? ''}/healthz`)).text()),
  )
  expect(new Set(answers)).toEqual(new Set(['OK']))
  expect(questions - before).toBeGreaterThan(0)
  expect(questions - before).toBeLessThan(20)
})

describe('a stop', () => {
  test('that drains fails /healthz first, and clients on kept connections lose no answer', async () => {
    const { engine } = await serve({})
    const url = `${engine.url ?? ''}/v2/query`
    const body = JSON.stringify({ type: 'run_sql', args: { sql: 'select pg_sleep(0.05)' } })
    const clients = new KeepAliveClients(8, { url, method: 'POST', headers: adminHeaders, body })
    await expect.poll(() => clients.outcomes.length, { timeout: 20_000 }).toBeGreaterThan(16)
    const stopped = engine.stopServing({ drain: true })
    const health = await fetch(`${engine.url ?? ''}/healthz`)
    expect([health.status, await health.text(), health.headers.get('connection')]).toEqual([
      503,
      'STOPPING',
      'close',
    ])
    const before = clients.outcomes.length
    await expect.poll(() => clients.outcomes.length, { timeout: 20_000 }).toBeGreaterThan(before + 16)
    expect(await clients.end()).toEqual([200])
    await stopped
  }, 60_000)

  test('accepts no more WebSockets, and still answers in process', async () => {
    const served = await serve({})
    const open = await openWebSocket(served)
    const ended = once(open, 'close')
    const stopped = served.engine.stopServing({ drain: true })
    await ended
    await expect(openWebSocket(served)).rejects.toThrow('503')
    await stopped
    await expect(fetch(served.engine.url ?? '')).rejects.toThrow()
    expect(served.engine.snapshot.inconsistencies).toEqual([])
  }, 60_000)
})
