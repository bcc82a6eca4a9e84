import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

export interface JsonClientOptions {
  readonly url: URL
  readonly timeout: number
  readonly maxBody: number
  readonly maxConnections: number
}

export interface JsonClient {
  /** Posts a JSON text. Rejects only when `signal` aborts; other failures are results. */
  readonly post: (
    body: string,
    headers: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ) => Promise<HttpAnswer>
  readonly close: () => void
}

type HttpAnswer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: string }
  | { readonly kind: 'failed'; readonly reason: string }

/** Posts to one address over kept connections, with limits on time, length and number. */
export function createJsonClient({ url, timeout, maxBody, maxConnections }: JsonClientOptions): JsonClient {
  const secure = url.protocol === 'https:'
  const agentOptions = { keepAlive: true, maxSockets: maxConnections, maxFreeSockets: maxConnections }
  const agent = secure ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions)
  const request = secure ? httpsRequest : httpRequest

  const post: JsonClient['post'] = async (body, headers, signal) => {
    const deadline = AbortSignal.timeout(timeout)
    const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline])
    // Node would write a string together with the headers, both as UTF-8, and so encode the headers twice.
    const bytes = Buffer.from(body)
    try {
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        const fixed = { 'content-type': 'application/json', 'content-length': bytes.length }
        const all = { ...encodeHeaders(headers), ...fixed }
        request(url, { method: 'POST', agent, signal: either, headers: all }, resolve)
          .on('error', reject)
          .end(bytes)
      })
      return { kind: 'answered', status: response.statusCode ?? 0, body: await readText(response, maxBody) }
    } catch (error) {
      signal?.throwIfAborted()
      const reason = deadline.aborted ? `no answer within ${timeout} ms` : messageOf(error)
      return { kind: 'failed', reason }
    }
  }
  return { post, close: () => agent.destroy() }
}

/** Node writes header values byte by byte as Latin-1; Hasura reads them as UTF-8. */
function encodeHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  const encode = (value: string): string => Buffer.from(value, 'utf8').toString('latin1')
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, encode(value)]))
}

async function readText(response: IncomingMessage, maxBody: number): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length
    if (length > maxBody) throw new Error(`the answer is longer than ${maxBody} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A name with several addresses fails with an AggregateError, which has a code but no message.
  return error.message !== '' || !('code' in error) ? error.message : String(error.code)
}
