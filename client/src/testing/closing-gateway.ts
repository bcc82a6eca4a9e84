import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Sent } from './answering-server.ts'

/** The code and reason with which a connection is closed. */
export type Close = readonly [code: number, reason: string]

export interface ClosingGatewayOptions {
  /** Whether to close a connection when it says who is calling, and how. None is closed unless set. */
  readonly refuse?: (authorization: string, number: number) => Close | null
  /** The answer to a request by POST. */
  readonly answer?: (number: number) => Sent
}

export interface ClosingGateway {
  readonly url: string
  /** The `Authorization` of each connection. */
  readonly callers: readonly string[]
  /** How many subscriptions have begun. */
  readonly subscriptions: () => number
  /** Sends data to the latest subscription. */
  readonly send: (data: object) => void
  /** Closes the latest connection. */
  readonly close: (...close: Close) => void
}

interface Message {
  readonly id?: string
  readonly type: string
  readonly payload?: { readonly Authorization?: string }
}

/** A gateway that closes connections when a test wants it. It ends with the test. */
export async function startClosingGateway({
  refuse,
  answer,
}: ClosingGatewayOptions = {}): Promise<ClosingGateway> {
  const callers: string[] = []
  const subscribed: { readonly socket: WebSocket; readonly id: string }[] = []
  let requests = 0
  const server = createServer((request, response) => {
    request.resume()
    requests += 1
    const { status = 200, body } = answer?.(requests) ?? { status: 404, body: '' }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => {
    socket.on('message', (data: Buffer) => {
      const { id = '', type, payload } = JSON.parse(data.toString()) as Message
      if (type === 'subscribe') subscribed.push({ socket, id })
      if (type !== 'connection_init') return
      const authorization = payload?.Authorization ?? ''
      callers.push(authorization)
      const close = refuse?.(authorization, callers.length) ?? null
      if (close === null) socket.send(JSON.stringify({ type: 'connection_ack' }))
      else socket.close(...close)
    })
  })
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate()
    sockets.close()
    server.close()
    server.closeAllConnections()
  })
  const latest = () => subscribed.at(-1)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`,
    callers,
    subscriptions: () => subscribed.length,
    send: (data) =>
      latest()?.socket.send(JSON.stringify({ id: latest()?.id, type: 'next', payload: { data } })),
    close: (...close) => latest()?.socket.close(...close),
  }
}
