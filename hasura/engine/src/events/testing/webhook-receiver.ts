import { type IncomingHttpHeaders, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Empty when the body is no JSON. */
  readonly body: Readonly<Record<string, unknown>>
  readonly text: string
}

export interface Answer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly delayMs?: number
}

export interface WebhookReceiver {
  readonly url: string
  readonly calls: ReceivedCall[]
  /** Decides each answer; 200 unless set. */
  answer: (call: ReceivedCall) => Answer
  /** The most calls that were open at the same time. */
  readonly mostOpen: number
  /** Waits until `count` calls have come. */
  received(count: number): Promise<readonly ReceivedCall[]>
  close(): Promise<void>
}

/** A webhook that records its calls. */
export async function startReceiver(): Promise<WebhookReceiver> {
  const calls: ReceivedCall[] = []
  let open = 0
  let mostOpen = 0
  const server = createServer((request, response) => {
    void (async () => {
      mostOpen = Math.max(mostOpen, (open += 1))
      response.once('close', () => (open -= 1))
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const text = Buffer.concat(chunks).toString()
      const { method = '', url = '', headers } = request
      const call = { method, path: url, headers, body: parsed(text), text }
      calls.push(call)
      const answer = receiver.answer(call)
      await sleep(answer.delayMs ?? 0)
      response.writeHead(answer.status, answer.headers).end(answer.body ?? '{}')
    })()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    answer: () => ({ status: 200 }),
    get mostOpen() {
      return mostOpen
    },
    received: async (count) => {
      const deadline = Date.now() + 10_000
      while (calls.length < count) {
        if (Date.now() > deadline) throw new Error(`${calls.length} calls have come, not ${count}`)
        await sleep(10)
      }
      return calls
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

function parsed(text: string): ReceivedCall['body'] {
  try {
    return JSON.parse(text) as ReceivedCall['body']
  } catch {
    return {}
  }
}
