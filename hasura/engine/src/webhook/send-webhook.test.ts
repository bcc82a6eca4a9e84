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

const credentials = 'us%40er:s3%3Acr%zzet'
const basic = `Basic ${Buffer.from('us@er:s3%3Acr%zzet').toString('base64')}`
const withCredentials = (url: string): string => url.replace('//', `//${credentials}@`)
const sendTo = (url: string, headers: readonly (readonly [string, string])[] = []) =>
  sendWebhook({ method: 'POST', url, headers, body: '{}' }, { timeoutMs: 5000, maxAnswerBytes: 1000 })

test('a user and a password of the URL become the header Authorization, unless there is one', async () => {
  receiver.answer = () => ({ status: 200 })
  const url = withCredentials(`${receiver.url}/hook?a=1`)
  expect(await sendTo(url)).toMatchObject({ kind: 'answered', status: 200 })
  expect(receiver.calls[0]).toMatchObject({ path: '/hook?a=1', headers: { authorization: basic } })
  expect(await sendTo(url, [['Authorization', 'Bearer T']])).toMatchObject({ kind: 'answered' })
  expect(receiver.calls[1]?.headers.authorization).toBe('Bearer T')
})

test('they stay with their host when it redirects', async () => {
  redirect(307, 'moved')
  expect(await sendTo(withCredentials(`${receiver.url}/hook`))).toMatchObject({ status: 200 })
  expect(receiver.calls[1]).toMatchObject({ path: '/moved', headers: { authorization: basic } })
  redirect(307, `${stranger.url}/other`)
  expect(await sendTo(withCredentials(`${receiver.url}/hook`))).toMatchObject({ status: 200 })
  expect(stranger.calls[0]?.headers.authorization).toBeUndefined()
})

test.each(['http://127.0.0.1:1/hook', 'http://127.0.0.1:99999/hook', 'http://[/hook'])(
  'they are not part of the reason why %s does not answer',
  async (url) => {
    const outcome = await sendTo(withCredentials(url))
    expect(outcome).toMatchObject({ kind: 'unanswered' })
    expect(JSON.stringify(outcome)).not.toMatch(/us%40er|us@er|s3/)
  },
)
