import { once } from 'node:events'
import { createServer, request as httpRequest, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { FileStorage } from './file-storage.ts'
import { serveFiles } from './serve-files.ts'
import type { UrlSigner } from './signed-urls.ts'
import { temporaryStorage } from './testing/index.ts'

let server: Server
let base: string
let storage: FileStorage
let remove: () => Promise<void>
let signer: UrlSigner

beforeAll(async () => {
  ;({ storage, signer, remove } = temporaryStorage())
  const route = serveFiles({ storage, signer })
  server = createServer((request, response) => {
    void route(request, response).then((refusal) => {
      if (refusal !== null) response.writeHead(refusal.status).end(refusal.field)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/files`
})
afterAll(async () => {
  server.closeAllConnections()
  server.close()
  await remove()
})

async function store(key: string, contentType: string): Promise<string> {
  await storage.put(key, Readable.from([Buffer.from('0123456789')]), { contentType })
  return `${base}/${key}`
}

describe('a public image', () => {
  test('is shown without a signature, as nothing else than an image, and is kept by caches', async () => {
    const answer = await fetch(await store('m1/public/one.png', 'image/png'))
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '10',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox",
      'content-disposition': 'inline',
      'cache-control': 'public, max-age=31536000, immutable',
    })
    expect(await answer.text()).toBe('0123456789')
    expect((await fetch(`${base}/m1/public/one.png`, { method: 'HEAD' })).headers.get('content-length')).toBe(
      '10',
    )
  })

  test('is not sent again to a client that has it', async () => {
    const url = await store('m1/public/two.webp', 'image/webp')
    const etag = (await fetch(url)).headers.get('etag') ?? ''
    const again = await fetch(url, { headers: { 'if-none-match': etag } })
    expect(again.status).toBe(304)
  })

  test.each([
    ['bytes=2-4', 206, '234', 'bytes 2-4/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=8-', 206, '89', 'bytes 8-9/10'],
    ['bytes=0-1,4-5', 200, '0123456789', null],
    ['letters=1', 200, '0123456789', null],
    ['bytes=10-', 416, 'Range', 'bytes */10'],
  ])('is sent in part for Range: %s', async (range, status, body, contentRange) => {
    const url = await store('m1/public/three.png', 'image/png')
    const answer = await fetch(url, { headers: { range } })
    expect([answer.status, await answer.text(), answer.headers.get('content-range')]).toEqual([
      status,
      body,
      contentRange,
    ])
  })
})

test.each(['text/html', 'image/svg+xml', 'application/javascript', 'text/xml', 'application/pdf', ''])(
  'a public file of the type %j is not served',
  async (type) => {
    expect((await fetch(await store('m1/public/page', type))).status).toBe(404)
  },
)

test('a private file is not served without a signature, nor with a forged one', async () => {
  const url = await store('m1/private/four.png', 'image/png')
  for (const query of ['', '?signature=', '?expires=9999999999&name=x&signature=AAAA'])
    expect((await fetch(url + query)).status).toBe(404)
})

test.each([
  '/m1/public/../private/four.png',
  '/m1/public/..%2fprivate%2ffour.png',
  '/%2e%2e/x',
  '/',
  '//',
  '/m1/public/',
])('the path %j leads to no file', async (path) => {
  const status = await new Promise((resolve) => {
    // fetch would resolve the dots itself.
    httpRequest(base, { path: `/files${path}` }, (response) => resolve(response.resume().statusCode)).end()
  })
  expect(status).toBe(404)
})

test('an upload that ends early is refused, and stores nothing', async () => {
  const { url, headers } = await storage.signedUploadUrl('m1/private/short', {
    contentType: 'image/png',
    size: 10,
    expiresInSeconds: 60,
  })
  const target = new URL(url)
  const status = await new Promise((resolve) => {
    const sent = httpRequest(
      `${base}/m1/private/short${target.search}`,
      { method: 'PUT', headers: { ...headers, 'transfer-encoding': 'chunked' } },
      (response) => resolve(response.resume().statusCode),
    )
    sent.end('short')
  })
  expect(status).toBe(413)
  expect(await storage.head('m1/private/short')).toBeNull()
})

test('pages of other origins may ask whether they may upload', async () => {
  const answer = await fetch(`${base}/m1/private/one`, { method: 'OPTIONS' })
  expect(answer.status).toBe(204)
  expect(answer.headers.get('access-control-allow-methods')).toBe('GET, HEAD, PUT')
  expect(answer.headers.get('access-control-allow-headers')).toContain('content-type')
})

test('a client that leaves in the middle of a file frees it', async () => {
  await storage.put('m1/public/large.png', Readable.from([Buffer.alloc(50_000_000)]), {
    contentType: 'image/png',
  })
  const leaving = new AbortController()
  const answer = await fetch(`${base}/m1/public/large.png`, { signal: leaving.signal })
  leaving.abort()
  await expect(answer.bytes()).rejects.toThrow()
  const again = await fetch(`${base}/m1/public/large.png`)
  expect((await again.bytes()).length).toBe(50_000_000)
})

test.each(['POST', 'DELETE', 'PATCH'])('%s is refused', async (method) => {
  expect((await fetch(`${base}/m1/public/one.png`, { method })).status).toBe(405)
})
