import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { errors, exportJWK, generateKeyPair } from 'jose'
import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { issuerKeys } from './issuer-keys.ts'

const minute = 60_000
const header = { alg: 'ES256', kid: 'theirs' }
const token = { payload: '', signature: '' }

let server: Server
let keys: string
let answer: { readonly status: number; readonly body: string }
let asked = 0
beforeAll(async () => {
  const { publicKey } = await generateKeyPair('ES256')
  keys = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'theirs', alg: 'ES256' }] })
  server = createServer((_request, response) => {
    asked += 1
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterAll(() => server.close())
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  answer = { status: 200, body: keys }
})
afterEach(() => {
  vi.useRealTimers()
})

const open = () =>
  issuerKeys(`http://127.0.0.1:${(server.address() as AddressInfo).port}/jwks`, pino({ level: 'silent' }))
const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * minute)

test.each([
  ['an error', { status: 503, body: '' }],
  ['no JSON', { status: 200, body: '<html>' }],
  ['no keys', { status: 200, body: '{"error":"busy"}' }],
])(
  'an issuer that answers %s instead of its keys leaves those that are known, for an hour',
  async (_what, fault) => {
    const find = open()
    await find(header, token)
    answer = fault
    for (let minutes = 0; minutes < 55; minutes += 11) {
      pass(11)
      await find(header, token)
    }
    pass(20)
    await expect(find(header, token)).rejects.not.toBeInstanceOf(errors.JOSEError)
    answer = { status: 200, body: keys }
    await find(header, token)
  },
)

test('an unknown key is refused if the issuer answers, and undecided while it doesn’t', async () => {
  const find = open()
  await find(header, token)
  const unknown = { alg: 'ES256', kid: 'another' }
  await expect(find(unknown, token)).rejects.toBeInstanceOf(errors.JWKSNoMatchingKey)
  answer = { status: 503, body: '' }
  pass(1)
  await expect(find(unknown, token)).rejects.not.toBeInstanceOf(errors.JOSEError)
  // The known ones are still used, and the issuer isn't asked for each token.
  const before = asked
  await find(header, token)
  await expect(find(unknown, token)).rejects.not.toBeInstanceOf(errors.JOSEError)
  expect(asked).toBe(before)
})
