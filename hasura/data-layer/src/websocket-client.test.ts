import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { createWebSocketClient } from './websocket-client.ts'

/** A server of the protocol that answers nothing but what is given, by the type of the message. */
async function startSilent(answers: Readonly<Record<string, string>>): Promise<string> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (socket: WebSocket) => {
    socket.on('message', (data: Buffer) => {
      const { type } = JSON.parse(data.toString()) as { type: string }
      const answer = answers[type]
      if (answer !== undefined) socket.send(JSON.stringify({ type: answer }))
    })
  })
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of server.clients) socket.terminate()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test.each([
  ['that accepts a connection and then vanishes', { connection_init: 'connection_ack' }],
  ['that never accepts a connection', {}],
])('a subscription at an engine %s ends as unavailable', async (_, answers) => {
  const url = await startSilent(answers)
  const client = createWebSocketClient({ url, adminSecret: 'secret', keepAliveMs: 50 })
  const signal = new AbortController().signal
  const results = await Array.fromAsync(client.subscribe({ query: 'subscription { n }' }, {}, signal))
  expect(results).toMatchObject([{ kind: 'unavailable' }])
})
