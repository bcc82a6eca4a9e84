import { type IncomingMessage, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'

export interface JsonAnswer {
  readonly status: number
  /** Undefined if it isn't JSON. */
  readonly body: unknown
}

export class NoAnswerInTime extends Error {
  override readonly name = 'NoAnswerInTime'
}

/** Without traffic, routers and firewalls forget a connection while the server works on a long request. */
const keepAliveMs = 30_000

/**
 * Posts JSON, and waits for the whole answer. It isn't `fetch`, which gives up after five minutes without headers
 * whatever its signal says. Rejects with NoAnswerInTime after `timeoutMs`, or with the error of the connection.
 */
export async function postJson(
  url: URL,
  {
    headers,
    body,
    timeoutMs,
  }: {
    readonly headers: Readonly<Record<string, string>>
    readonly body: unknown
    readonly timeoutMs: number
  },
): Promise<JsonAnswer> {
  const request = url.protocol === 'https:' ? httpsRequest : httpRequest
  const signal = AbortSignal.timeout(timeoutMs)
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(
        url,
        // A connection of its own: one that is kept may be closed by the server just when it is used.
        { method: 'POST', agent: false, signal, headers: { ...headers, 'content-type': 'application/json' } },
        resolve,
      )
      sent.setSocketKeepAlive(true, keepAliveMs)
      sent.on('error', reject).end(JSON.stringify(body))
    })
    return { status: response.statusCode ?? 0, body: parse(await text(response)) }
  } catch (error) {
    if (signal.aborted) throw new NoAnswerInTime(`it has not answered within ${timeoutMs / 1_000} seconds`)
    // A name with several addresses fails with an AggregateError, which has a code but no message.
    throw error instanceof Error && error.message === '' && 'code' in error
      ? new Error(String(error.code), { cause: error })
      : error
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
