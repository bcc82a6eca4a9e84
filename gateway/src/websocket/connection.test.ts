import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import { keyPrincipal } from '../testing/shop.ts'
import { bodyOf, Connection, type ConnectionParts } from './connection.ts'
import { Quota } from './quota.ts'

test('a subscription that fails while it begins is refused alone, and the log has the cause', async () => {
  const cause = new Error('the rates can’t be read')
  const logged: unknown[] = []
  const closed: unknown[] = []
  const quota = new Quota(1)
  const parts = {
    authenticator: {
      authenticate: () =>
        Promise.resolve({ kind: 'authenticated', principal: keyPrincipal(1), clientAddress: null }),
    },
    rateLimits: { admit: () => Promise.reject(cause) },
    logger: { error: (entry: unknown) => logged.push(entry) },
    merchantQuota: quota,
    shoppersQuota: quota,
    connectionQuota: new Quota(1),
    subscriptionQuota: new Quota(1),
  } as unknown as ConnectionParts
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    close: (code: number) => closed.push(code),
  }) as unknown as WebSocket
  const connection = new Connection(socket, { headers: {}, socket: {} } as IncomingMessage, parts)
  expect(await connection.introduce({})).toBe(true)

  const begun = await connection.start('1', { query: 'subscription { product(id: "x") { id } }' })

  expect(Array.isArray(begun) && begun.map(bodyOf)).toMatchObject([{ extensions: { id: 'SVC_SRV_001' } }])
  expect(logged).toMatchObject([{ err: cause }])
  expect(closed).toEqual([])
})
