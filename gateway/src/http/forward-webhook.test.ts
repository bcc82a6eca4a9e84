import { type ClientRequest, createServer, request as httpRequest, type Server } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { createWebhookForwarder, isWebhookPath, maxAtOnce } from './forward-webhook.ts'

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

async function serve(server: Server): Promise<string> {
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const limits = { bodyBytes: 1000, receiveMilliseconds: 1000 }
const path = '/webhooks/stripe/01a1f000-0001-7000-8000-000000000001'

/** A gateway that only forwards. */
function gateway(target: string, began: () => void = () => undefined): Promise<string> {
  const forward = createWebhookForwarder(target)
  return serve(
    createServer((request, response) => {
      began()
      void forward(request, 'r', limits).then((answer) => {
        response.writeHead(answer?.status ?? 500).end(answer?.body)
      })
    }),
  )
}

test('a webhook is forwarded byte by byte, with its signature and without credentials', async () => {
  const seen: unknown[] = []
  const target = await serve(
    createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const { authorization, 'stripe-signature': signature } = request.headers
        seen.push({ url: request.url, body: Buffer.concat(chunks).toString(), signature, authorization })
        response.writeHead(418).end('{"a":1}')
      })
    }),
  )
  const body = '{ "id":"evt_1",\n "ü": 1.0 }'
  const response = await fetch((await gateway(target)) + path, {
    method: 'POST',
    headers: { 'stripe-signature': 't=1,v1=x', authorization: 'Bearer cg_live_x' },
    body,
  })
  expect(response.status).toBe(418)
  expect(await response.text()).toBe('{"a":1}')
  expect(seen).toEqual([{ url: path, body, signature: 't=1,v1=x', authorization: undefined }])
})

test('a webhook that is too large is refused, and one that can’t be forwarded gets an answer that asks for a retry', async () => {
  const url = (await gateway('http://127.0.0.1:1')) + path
  expect((await fetch(url, { method: 'POST', body: 'x'.repeat(2000) })).status).toBe(400)
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(503)
})

/** A sender who begins a body and doesn't end it. */
function sendSlowly(url: string): ClientRequest {
  const sent = httpRequest(url, { method: 'POST', headers: { 'content-length': 2 } })
  sent.on('error', () => undefined)
  sent.write('{')
  return sent
}

test('senders who don’t end their bodies keep no other webhook out', async () => {
  const target = await serve(
    createServer((request, response) => void request.resume().on('end', () => response.writeHead(200).end())),
  )
  let begun = 0
  const url = (await gateway(target, () => (begun += 1))) + path
  const slow = Array.from({ length: maxAtOnce }, () => sendSlowly(url))
  await expect.poll(() => begun).toBe(maxAtOnce)
  expect((await fetch(url, { method: 'POST', body: '{}' })).status).toBe(200)
  for (const sent of slow) sent.destroy()
})

test('a bounded number of webhooks waits for an answer, and more are asked to come again', async () => {
  const waiting: (() => void)[] = []
  const target = await serve(
    createServer((_request, response) => void waiting.push(() => response.writeHead(200).end())),
  )
  const url = (await gateway(target)) + path
  const send = async () => (await fetch(url, { method: 'POST', body: '{}' })).status
  const first = Array.from({ length: maxAtOnce }, send)
  await expect.poll(() => waiting.length).toBe(maxAtOnce)
  expect(await send()).toBe(503)
  for (const answer of waiting.splice(0)) answer()
  expect(await Promise.all(first)).toEqual(first.map(() => 200))
  const next = send()
  await expect.poll(() => waiting.length).toBe(1)
  waiting[0]?.()
  expect(await next).toBe(200)
})

test('only paths of a processor’s account are forwarded', () => {
  expect(isWebhookPath(path)).toBe(true)
  for (const other of [
    '/webhooks',
    '/webhooks/stripe',
    `${path}/x`,
    '/webhooks/stripe/../../payment/processPayment',
    '/webhooks/Stripe/01a1f000-0001-7000-8000-000000000001',
    undefined,
  ])
    expect(isWebhookPath(other)).toBe(false)
})
