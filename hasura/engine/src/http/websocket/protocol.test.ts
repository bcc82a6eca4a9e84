import { expect, test } from 'vitest'
import { transportProtocol } from './protocol.ts'

test('a connection is closed with as much of the reason as a close frame holds, however much a client has put into it', () => {
  const { close } = transportProtocol.violation({ kind: 'invalid-message', reason: 'ä'.repeat(1_000_000) })
  expect(close?.code).toBe(4400)
  expect(close?.reason).toMatch(/^\{"server_error_msg":"4400: Parsing client message failed: ä+"\}$/)
  const bytes = Buffer.byteLength(close?.reason ?? '')
  expect(bytes).toBeGreaterThan(120)
  expect(bytes).toBeLessThanOrEqual(123)
})
