import { WebSocket } from 'ws'

/** The message types of both protocols. */
const protocols = {
  'graphql-transport-ws': { start: 'subscribe', next: 'next' },
  'graphql-ws': { start: 'start', next: 'data' },
} as const

export type SubscriptionProtocol = keyof typeof protocols

export interface LiveSubscriber {
  readonly socket: WebSocket
  /** The time of the newest answer, by performance.now(). */
  readonly lastAt: () => number
  readonly answers: () => number
  /** Resolves with the first answer. */
  readonly first: Promise<void>
}

/** Opens a connection and subscribes to one query. `first` rejects when the engine answers with anything but data. */
export function openSubscriber(
  url: string,
  protocol: SubscriptionProtocol,
  headers: Readonly<Record<string, string>>,
  query: string,
): LiveSubscriber {
  const words = protocols[protocol]
  const socket = new WebSocket(url.replace(/^http/, 'ws'), protocol)
  let lastAt = 0
  let answers = 0
  socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init', payload: { headers } })))
  const first = new Promise<void>((resolve, reject) => {
    socket.once('error', reject)
    socket.on('message', (data: Buffer) => {
      const { type } = JSON.parse(data.toString('utf8')) as { readonly type: string }
      switch (type) {
        case 'connection_ack':
          socket.send(JSON.stringify({ id: '1', type: words.start, payload: { query } }))
          return
        case words.next:
          lastAt = performance.now()
          answers += 1
          resolve()
          return
        case 'ping':
          socket.send('{"type":"pong"}')
          return
        case 'pong':
        case 'ka':
          return
        default:
          reject(new Error(`the engine said ${data.toString('utf8').slice(0, 300)}`))
      }
    })
  })
  return { socket, first, lastAt: () => lastAt, answers: () => answers }
}
