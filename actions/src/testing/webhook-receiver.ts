import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ReceivedWebhook {
  /** The header `webhook-id`. */
  readonly id: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly event: Readonly<Record<string, unknown>> & { readonly type: string; readonly recordId?: string }
  readonly at: number
}

/** How a receiver answers; the default takes everything. */
export type Behaviour = (response: ServerResponse, webhook: ReceivedWebhook, request: IncomingMessage) => void

export interface WebhookReceiver {
  readonly url: string
  readonly received: readonly ReceivedWebhook[]
  behave(behaviour: Behaviour): void
  /** Refuses connections for as long. */
  interrupt(milliseconds: number): Promise<void>
  close(): Promise<void>
}

/** A merchant's server that webhooks are sent to. */
export async function startWebhookReceiver(): Promise<WebhookReceiver> {
  const received: ReceivedWebhook[] = []
  let behaviour: Behaviour = (response) => response.writeHead(204).end()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString()
      const headers = Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
      )
      const webhook = {
        id: headers['webhook-id'] ?? '',
        headers,
        body,
        event: JSON.parse(body) as ReceivedWebhook['event'],
        at: performance.now(),
      }
      received.push(webhook)
      behaviour(response, webhook, request)
    })
  })
  const listen = (port: number) =>
    new Promise<void>((listening) => {
      server.listen(port, '127.0.0.1', listening)
    })
  const stop = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    received,
    behave(next) {
      behaviour = next
    },
    async interrupt(milliseconds) {
      await stop()
      await sleep(milliseconds)
      await listen(port)
    },
    close: stop,
  }
}
