import { expect, test } from 'vitest'
import { readMessage, transportProtocol } from './protocol.ts'

test('the reason of a close is cut to what a close frame holds, however long the client’s text in it is', () => {
  const { close } = transportProtocol.violation({ kind: 'invalid-message', reason: 'ä'.repeat(1_000_000) })
  expect(close?.code).toBe(4400)
  expect(close?.reason).toMatch(/^\{"server_error_msg":"4400: Parsing client message failed: ä+"\}$/)
  const bytes = Buffer.byteLength(close?.reason ?? '')
  expect(bytes).toBeGreaterThan(120)
  expect(bytes).toBeLessThanOrEqual(123)
})

test('a number of a client’s operation keeps its digits', () => {
  const payload = '{"variables":{"id":9007199254740993}}'
  const message = readMessage(`{"type":"subscribe","id":"1","payload":${payload}}`)
  expect(message.kind === 'start' && JSON.stringify(message.payload)).toBe(payload)
})
