import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import type { EndpointParts } from '../endpoint-parts.ts'
import { type AdminSessionOptions, createAdminSessions } from './sessions.ts'

/** A gateway of which nothing is there that answers a document. */
const parts = { logger: { error: () => undefined } } as unknown as EndpointParts
const authenticator = {
  authenticateSignInPage: () => Promise.resolve({}),
} as unknown as AdminSessionOptions['authenticator']

test('signing out keeps the cookie, and says so, while the session can’t be ended', async () => {
  const sessions = createAdminSessions({ parts, authenticator, defaultShop: undefined, secureCookie: false })
  const request = {
    method: 'POST',
    url: '/admin/session/end',
    socket: {},
    headers: {
      host: 'shop.example',
      origin: 'http://shop.example',
      'x-commerce-admin': '1',
      cookie: 'commerce_admin=3f0f6b1e-4b0a-4c57-9a0b-0d5a3c1b2a11.token',
    },
  } as unknown as IncomingMessage
  const answer = await sessions({
    request,
    requestId: 'one',
    signal: AbortSignal.timeout(5_000),
  })
  expect(answer?.status).toBeGreaterThanOrEqual(500)
  expect(answer?.headers).not.toHaveProperty('set-cookie')
})
