import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type WebhookReceiver, startReceiver } from '../events/testing/webhook-receiver.ts'
import { startTrace } from '../tracing/trace-context.ts'
import { type WebhookCall, sendWebhook } from './send-webhook.ts'

let receiver: WebhookReceiver
let stranger: WebhookReceiver

beforeAll(async () => {
  ;[receiver, stranger] = await Promise.all([startReceiver(), startReceiver()])
})

beforeEach(() => {
  receiver.calls.length = 0
  stranger.calls.length = 0
})

afterAll(async () => {
  await Promise.all([receiver.close(), stranger.close()])
})

function redirect(status: number, location: string): void {
  receiver.answer = ({ path }) => (path === '/hook' ? { status, headers: { location } } : { status: 200 })
}

const send = (more: Partial<WebhookCall> = {}) =>
  sendWebhook(
    {
      method: 'POST',
      url: `${receiver.url}/hook`,
      headers: [
        ['Content-Type', 'application/json'],
        ['X-Hook-Secret', 's3cret'],
        ['Authorization', 'Bearer T'],
      ],
      body: '{"a":1}',
    },
    { timeoutMs: 5000, maxAnswerBytes: 1000, ...more },
  )

test.each([301, 307, 308])('a redirect by %i is followed with the same request', async (status) => {
  redirect(status, '/moved')
  expect(await send()).toMatchObject({ kind: 'answered', status: 200 })
  expect(receiver.calls[1]).toMatchObject({
    method: 'POST',
    path: '/moved',
    text: '{"a":1}',
    headers: { 'x-hook-secret': 's3cret', authorization: 'Bearer T' },
  })
})

test.each([302, 303])('a redirect by %i is followed with GET, without the body', async (status) => {
  redirect(status, '/moved')
  expect(await send()).toMatchObject({ kind: 'answered', status: 200 })
  expect(receiver.calls[1]).toMatchObject({ method: 'GET', path: '/moved', text: '' })
  expect(receiver.calls[1]?.headers['content-type']).toBeUndefined()
})

test('a redirect to another host carries the body and the trace, but no header that may be a secret', async () => {
  redirect(307, `${stranger.url}/other`)
  const trace = startTrace()
  expect(await send({ trace })).toMatchObject({ kind: 'answered', status: 200 })
  const [call] = stranger.calls
  expect(call).toMatchObject({ method: 'POST', path: '/other', text: '{"a":1}' })
  expect(call?.headers).toMatchObject({ 'content-type': 'application/json', 'x-b3-traceid': trace.traceId })
  expect(Object.keys(call?.headers ?? {})).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(?:x-hook-secret|authorization)$/)]),
  )
})

test('with staysWithHost, redirects are followed on the same host only', async () => {
  redirect(307, '/moved')
  expect(await send({ staysWithHost: true })).toMatchObject({ kind: 'answered', status: 200 })
  redirect(307, `${stranger.url}/other`)
  expect(await send({ staysWithHost: true })).toMatchObject({ kind: 'answered', status: 307 })
  expect(stranger.calls).toEqual([])
})

test('a redirect to another protocol is the answer', async () => {
  redirect(307, 'data:text/plain,here')
  expect(await send()).toMatchObject({ kind: 'answered', status: 307 })
})

test('redirects are followed ten times at most', async () => {
  receiver.answer = () => ({ status: 307, headers: { location: '/again' } })
  expect(await send()).toEqual({ kind: 'unanswered', message: 'Too many redirects' })
  expect(receiver.calls).toHaveLength(11)
})
