import { createServer as createTcpServer, type AddressInfo } from 'node:net'
import { createServer as createTlsServer } from 'node:https'
import type { ServerResponse } from 'node:http'
import { startWebhookReceiver, type WebhookReceiver } from '@commerce-graph/actions/testing/webhook-receiver'

const megabyte = 2 ** 20

/** The ways in which a merchant's server can fail to take a webhook that has reached it. */
const failures = {
  hangs: () => undefined,
  'answers 500': (response) => response.writeHead(500).end(),
  redirects: (response) => response.writeHead(307, { location: '/followed' }).end(),
  'answers too much': (response) => response.writeHead(500).end('x'.repeat(8 * megabyte)),
  'answers without an end': (response) => writeAgainAndAgain(response, response.writeHead(500)),
  'breaks the connection': (response) => response.destroy(),
  'breaks its answer off': (response) => {
    response.writeHead(500, { 'content-length': 100 }).write('x', () => response.destroy())
  },
  'sends its headers one by one': (response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n')
    writeAgainAndAgain(response, response.socket, 'x-more: 1\r\n', 1_000)
  },
} as const satisfies Readonly<Record<string, (response: ServerResponse) => unknown>>

type Failure = keyof typeof failures

function writeAgainAndAgain(
  response: ServerResponse,
  output: { write(text: string): unknown } | null,
  text = 'x'.repeat(65_536),
  pause = 20,
): void {
  const timer = setInterval(() => output?.write(text), pause)
  response.on('close', () => clearInterval(timer))
}

/** Each keeps its place until the platform gives up, so the receiver does so with one webhook at a time. */
const slow: ReadonlySet<Failure> = new Set(['hangs', 'sends its headers one by one'])

/** The share of webhooks that fail in each way, at their first attempt. */
const share = 0.004

export interface FailingReceiver extends WebhookReceiver {
  /** How often it failed in which way. */
  readonly failed: ReadonlyMap<string, number>
  /** What no receiver should see. */
  readonly faults: readonly string[]
}

/**
 * A receiver that fails in every way now and then, and takes what comes again. It answers late at times, so that several
 * webhooks are under way at once.
 */
export async function startFailingReceiver(random: () => number): Promise<FailingReceiver> {
  const receiver = await startWebhookReceiver()
  const seen = new Set<string>()
  const failed = new Map<string, number>()
  const faults: string[] = []
  let slowOnes = 0
  receiver.behave((response, { id }, request) => {
    if (request.url !== '/webhooks') faults.push(`${id} followed a redirect to ${request.url}`)
    const isFirst = !seen.has(id)
    seen.add(id)
    const chance = random()
    const failure = (Object.keys(failures) as Failure[])[Math.floor(chance / share)]
    if (!isFirst || failure === undefined || (slow.has(failure) && slowOnes > 0)) {
      setTimeout(() => response.writeHead(204).end(), chance * 20)
      return
    }
    if (slow.has(failure)) {
      slowOnes += 1
      response.on('close', () => (slowOnes -= 1))
    }
    failed.set(failure, (failed.get(failure) ?? 0) + 1)
    failures[failure](response)
  })
  return { ...receiver, failed, faults }
}

export interface HopelessReceivers extends AsyncDisposable {
  readonly urls: readonly string[]
}

/** Addresses that never take a webhook: nothing listens, TLS has no certificate, each connection hangs, all is gone. */
export async function startHopelessReceivers(): Promise<HopelessReceivers> {
  const closed = createTcpServer()
  const untrusted = createTlsServer({}, (_request, response) => response.end())
  const hanging = createTcpServer((socket) => socket.on('error', () => undefined))
  const gone = await startWebhookReceiver()
  gone.behave((response) => response.writeHead(410).end())
  const servers = [closed, untrusted, hanging]
  for (const server of servers)
    await new Promise<void>((listening) => {
      server.listen(0, '127.0.0.1', listening)
    })
  const [refused, tls, hang] = servers.map((server) => (server.address() as AddressInfo).port)
  closed.close()
  return {
    urls: [
      `http://127.0.0.1:${refused}/`,
      `https://127.0.0.1:${tls}/`,
      `http://127.0.0.1:${hang}/`,
      gone.url,
    ],
    async [Symbol.asyncDispose]() {
      untrusted.close()
      hanging.close()
      await gone.close()
    },
  }
}
