import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AddressRules,
  addressCheck,
  checkedLookup,
  RefusedAddressError,
  urlFault,
} from './endpoint-address.ts'

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** How a request ended. Null: there was no answer. */
export interface WebhookAnswer {
  readonly outcome: 'delivered' | 'failed' | 'gone'
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>> | null
  /** The beginning. */
  readonly body: string | null
  readonly error: string | null
  /** Seconds that the receiver asks to wait. */
  readonly retryAfter: number | null
  readonly startedAt: Date
  /** Milliseconds. */
  readonly duration: number
}

export interface WebhookSender {
  /** Never rejects: a failure is an answer. */
  send(request: WebhookRequest): Promise<WebhookAnswer>
  close(): void
}

export interface WebhookSenderOptions extends AddressRules {
  /** Milliseconds in which a receiver has to answer; 15 seconds by default. */
  readonly timeout?: number
}

const defaultTimeout = 15_000
/** Bytes of an answer that are read, and characters that are kept. */
const maxAnswer = 65_536
const keptAnswer = 4_096
const maxError = 500
const keptHeaders = 50
const keptHeader = 200
/** Seconds: a receiver doesn't put a delivery off for longer. */
const maxRetryAfter = 24 * 60 * 60

/** Posts to merchants' servers. Redirects aren't followed, and answers are bounded in time and size. */
export function createWebhookSender({
  timeout = defaultTimeout,
  ...rules
}: WebhookSenderOptions): WebhookSender {
  const isAllowed = addressCheck(rules)
  const lookup = checkedLookup(isAllowed)
  // A connection that is kept leads to the address that was checked when it was opened.
  const agents = {
    'http:': new HttpAgent({ keepAlive: true, maxFreeSockets: 64, timeout: 2 * timeout }),
    'https:': new HttpsAgent({ keepAlive: true, maxFreeSockets: 64, timeout: 2 * timeout }),
  }

  async function post(
    { url: text, headers, body }: WebhookRequest,
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    const url = new URL(text)
    const fault = urlFault(text, rules)
    const host = url.hostname.replace(/^\[|\]$/g, '')
    // A literal address is not looked up.
    if (isIP(host) !== 0 && !isAllowed(host)) throw new RefusedAddressError(host, host)
    if (fault !== null) throw new Error(fault)
    const isHttps = url.protocol === 'https:'
    return new Promise((answered, failed) => {
      const request = (isHttps ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        agent: agents[isHttps ? 'https:' : 'http:'],
        lookup,
        signal,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
      })
      request.on('response', answered)
      request.on('error', failed)
      request.end(body)
    })
  }

  return {
    async send(request) {
      const startedAt = new Date()
      const begun = performance.now()
      const timed = (answer: Omit<WebhookAnswer, 'startedAt' | 'duration'>): WebhookAnswer => ({
        ...answer,
        startedAt,
        duration: Math.round(performance.now() - begun),
      })
      const ending = new AbortController()
      const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(timeout)])
      try {
        const response = await post(request, signal)
        const body = await beginningOf(response, signal)
        return timed(answerOf(response, body))
      } catch (error) {
        const message = signal.aborted ? `No answer within ${timeout / 1000} seconds` : messageOf(error)
        return timed({
          outcome: 'failed',
          status: null,
          headers: null,
          body: null,
          error: storable(message).slice(0, maxError),
          retryAfter: null,
        })
      } finally {
        ending.abort()
      }
    },
    close() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

/** The status counts: an answer that is too long, or breaks off, is one. */
async function beginningOf(response: IncomingMessage, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  const read = (async () => {
    try {
      for await (const chunk of response) {
        chunks.push(chunk as Buffer)
        size += (chunk as Buffer).length
        if (size >= maxAnswer) break
      }
    } catch {
      // It broke off.
    }
  })()
  await Promise.race([read, sleep(bodyGrace, undefined, { signal }).catch(() => undefined)])
  if (!response.complete) response.destroy()
  return storable(new TextDecoder().decode(Buffer.concat(chunks))).slice(0, keptAnswer)
}

/** Milliseconds that the body may take after the status. */
const bodyGrace = 5_000

function answerOf(response: IncomingMessage, body: string): Omit<WebhookAnswer, 'startedAt' | 'duration'> {
  const status = response.statusCode ?? 0
  const isTaken = status >= 200 && status < 300
  return {
    outcome: isTaken ? 'delivered' : status === 410 ? 'gone' : 'failed',
    status,
    headers: keptHeadersOf(response),
    body,
    error: isTaken ? null : errorOf(status),
    retryAfter: isTaken ? null : retryAfterOf(response.headers['retry-after']),
  }
}

function errorOf(status: number): string {
  if (status === 410) return 'The endpoint answered 410: it is gone'
  if (status >= 300 && status < 400) return `The endpoint answered ${status}: redirects are not followed`
  return `The endpoint answered ${status}`
}

const keptHeadersOf = ({ headers }: IncomingMessage): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers)
      .slice(0, keptHeaders)
      .map(([name, value]) => [name, storable(String(value)).slice(0, keptHeader)]),
  )

function retryAfterOf(value: string | undefined): number | null {
  if (value === undefined) return null
  const seconds = /^\d{1,9}$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1000
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(Math.ceil(seconds), maxRetryAfter) : null
}

function messageOf(error: unknown): string {
  if (error instanceof AggregateError) return messageOf(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  return error.message === '' ? error.name : error.message
}

/** Postgres stores no NUL, and no half of a surrogate pair in jsonb. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()
