import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { verifyWebhook } from './webhooks.ts'

const secret = `whsec_${btoa('a secret of thirty-two bytes, yes')}`
const other = `whsec_${btoa('another secret, after a rotation..')}`
const body = JSON.stringify({ type: 'order.created', data: { name: 'Größe — “M”' } })

/** A message as the reference implementation of Standard Webhooks signs it. */
function message({ sent = new Date(), secrets = [secret], text = body } = {}) {
  const signatures = secrets.map((each) => new Webhook(each).sign('msg_1', sent, text))
  return {
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(Math.floor(sent.getTime() / 1000)),
    'webhook-signature': signatures.join(' '),
  }
}

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000)

describe('a message that standardwebhooks has signed', () => {
  test('is accepted, as a text and as bytes, with the headers of Node and of Fetch', async () => {
    for (const headers of [message(), new Headers(message())])
      for (const sent of [body, new TextEncoder().encode(body), new TextEncoder().encode(body).buffer])
        expect(await verifyWebhook(secret, headers, sent)).toMatchObject({
          ok: true,
          id: 'msg_1',
          payload: { data: { name: 'Größe — “M”' } },
        })
  })

  test('is accepted while one secret replaces another, on either side', async () => {
    expect(await verifyWebhook([other, secret], message(), body)).toMatchObject({ ok: true })
    expect(await verifyWebhook(other, message({ secrets: [secret, other] }), body)).toMatchObject({
      ok: true,
    })
  })

  test('is refused with another body, id, time or secret', async () => {
    const headers = message()
    const wrong = { ok: false, reason: 'wrong-signature' }
    expect(await verifyWebhook(secret, headers, `${body} `)).toEqual(wrong)
    expect(await verifyWebhook(other, headers, body)).toEqual(wrong)
    expect(await verifyWebhook(secret, { ...headers, 'webhook-id': 'msg_2' }, body)).toEqual(wrong)
    const later = String(Number(headers['webhook-timestamp']) + 1)
    expect(await verifyWebhook(secret, { ...headers, 'webhook-timestamp': later }, body)).toEqual(wrong)
  })

  test('is refused when it is too old, or from the future', async () => {
    const old = message({ sent: ago(310) })
    expect(await verifyWebhook(secret, old, body)).toEqual({ ok: false, reason: 'too-old' })
    expect(await verifyWebhook(secret, old, body, { toleranceSeconds: 600 })).toMatchObject({ ok: true })
    expect(await verifyWebhook(secret, message({ sent: ago(-310) }), body)).toEqual({
      ok: false,
      reason: 'too-new',
    })
  })

  test('is refused when it is not JSON', async () => {
    expect(await verifyWebhook(secret, message({ text: 'hello' }), 'hello')).toEqual({
      ok: false,
      reason: 'not-json',
    })
  })
})

test.each([
  ['webhook-id', undefined],
  ['webhook-id', ''],
  ['webhook-timestamp', 'now'],
  ['webhook-timestamp', '-1'],
  ['webhook-signature', undefined],
  ['webhook-signature', 'v2,AAAA'],
  ['webhook-signature', 'v1,***'],
])('a message is refused if its %s is %s', async (name, value) => {
  const headers = { ...message(), [name]: value }
  expect(await verifyWebhook(secret, headers, body)).toEqual({ ok: false, reason: 'missing-header' })
})

test('only the first ten signatures are looked at', async () => {
  const { 'webhook-signature': good, ...headers } = message()
  const bad = Array.from({ length: 10 }, () => 'v1,AAAA').join(' ')
  expect(await verifyWebhook(secret, { ...headers, 'webhook-signature': `${bad} ${good}` }, body)).toEqual({
    ok: false,
    reason: 'wrong-signature',
  })
})

test.each(['', 'whsec_', 'whsec_***', 'abc'])(
  'the secret “%s” is a mistake of the configuration',
  async (wrong) => {
    await expect(verifyWebhook(wrong, message(), body)).rejects.toThrow(
      'A webhook secret is whsec_ and Base64',
    )
  },
)
