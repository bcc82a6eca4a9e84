import { LRUCache } from 'lru-cache'
import { z } from 'zod'
import type { AccountMode } from '../processor-kind.ts'

export interface PaypalConnection {
  readonly clientId: string
  readonly secret: string
  /** Where the protocol is spoken, without a slash at the end. */
  readonly apiUrl: string
  /** Milliseconds for one try; 6 seconds unless said. */
  readonly timeout?: number | undefined
}

/** PayPal's own addresses. */
export const paypalAddress = {
  LIVE: 'https://api-m.paypal.com',
  TEST: 'https://api-m.sandbox.paypal.com',
} as const satisfies Record<AccountMode, string>

export interface PaypalRequest {
  readonly method: 'GET' | 'POST'
  /** Begins with a slash. */
  readonly path: string
  /** JSON. */
  readonly body?: string
  /** The same id with the same request is the same action, however often it is sent. */
  readonly requestId?: string
}

/**
 * `refused`: PayPal has decided, and nothing was done. `unauthorized`: it doesn't take the credentials, so this
 * request has done nothing.
 * `unanswered`: anything may have happened.
 */
export type PaypalAnswer =
  | { readonly kind: 'ok'; readonly body: unknown }
  | { readonly kind: 'refused'; readonly status: number; readonly issue: string }
  | { readonly kind: 'unauthorized'; readonly status: number; readonly cause: Error }
  | { readonly kind: 'unanswered'; readonly cause: Error }

export interface Paypal {
  /** Sends a request, and once more if there was no answer. Never throws for a failure of PayPal or the network. */
  send(request: PaypalRequest): Promise<PaypalAnswer>
  /** Whether PayPal takes the credentials. */
  authorize(): Promise<PaypalAnswer>
}

/** At most four requests follow each other in one action, and fit into the time that Hasura waits for it. */
const defaultTimeout = 6_000

/** Seconds before its end at which a token is replaced. */
const tokenMargin = 60

interface Token {
  readonly value: string
  /** By `performance.now`. */
  readonly until: number
}

/** Tokens that are kept. An account beyond them costs a request more for each. */
const keptTokens = 1_000

/** By address and credentials, so that a webhook uses the token of the payments. */
const tokens = new LRUCache<string, Token>({ max: keptTokens })

const issued = z.object({ access_token: z.string(), expires_in: z.number() })

export function connectPaypal({
  clientId,
  secret,
  apiUrl,
  timeout = defaultTimeout,
}: PaypalConnection): Paypal {
  const account = JSON.stringify([apiUrl, clientId, secret])
  const call = (path: string, init: RequestInit) => answerOf(`${apiUrl}${path}`, init, timeout)

  async function authorize(): Promise<PaypalAnswer> {
    const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(secret)}`)
    const answer = await call('/v1/oauth2/token', {
      method: 'POST',
      headers: {
        authorization: `Basic ${credentials.toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: 'grant_type=client_credentials',
    })
    if (answer.kind !== 'ok') return answer
    const token = issued.safeParse(answer.body)
    if (!token.success) return unanswered('PayPal answered a request for a token with something else')
    const { access_token: value, expires_in: seconds } = token.data
    tokens.set(account, { value, until: performance.now() + (seconds - tokenMargin) * 1_000 })
    return answer
  }

  async function send(request: PaypalRequest): Promise<PaypalAnswer> {
    const kept = tokens.get(account)
    if (kept === undefined || kept.until <= performance.now()) {
      const authorized = await authorize()
      if (authorized.kind !== 'ok') return orNoDecision(authorized)
    }
    const token = tokens.get(account)?.value ?? ''
    const answer = await call(request.path, {
      method: request.method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        prefer: 'return=representation',
        ...(request.requestId !== undefined && { 'paypal-request-id': request.requestId }),
      },
      body: request.body ?? null,
    })
    // A token can end before its time: the next request asks for another.
    if (
      answer.kind === 'unauthorized' &&
      answer.status === tokenRefused &&
      tokens.get(account)?.value === token
    )
      tokens.delete(account)
    return answer
  }

  return {
    authorize,
    async send(request) {
      const first = await send(request)
      if (first.kind === 'unauthorized') return first.status === tokenRefused ? send(request) : first
      if (first.kind !== 'unanswered' || isTimeout(first.cause)) return first
      const second = await send(request)
      // Nothing is known of the first try.
      return second.kind === 'unauthorized' ? { kind: 'unanswered', cause: second.cause } : second
    },
  }
}

/** The status of a request with a token, or with credentials, that PayPal doesn't take. */
const tokenRefused = 401

/** That no token was given says nothing of the request. */
const orNoDecision = (answer: Exclude<PaypalAnswer, { kind: 'ok' }>): PaypalAnswer =>
  answer.kind === 'refused' ? unanswered(`PayPal gives no token: ${answer.issue}`) : answer

const unanswered = (message: string): PaypalAnswer => ({ kind: 'unanswered', cause: new Error(message) })

const isTimeout = ({ name }: Error): boolean => name === 'TimeoutError'

const refusal = z.object({
  name: z.string().optional(),
  error: z.string().optional(),
  details: z.array(z.object({ issue: z.string().optional() })).optional(),
})

/** The statuses of a request that may do later, or that another one with the same id is under way with. */
const undecided: ReadonlySet<number> = new Set([408, 409, 425, 429])

async function answerOf(url: string, init: RequestInit, timeout: number): Promise<PaypalAnswer> {
  try {
    const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeout), redirect: 'error' })
    const text = await response.text()
    const { status } = response
    if (response.ok) return { kind: 'ok', body: text === '' ? {} : (JSON.parse(text) as unknown) }
    if (status >= 500 || undecided.has(status)) return unanswered(`PayPal answered with ${status}`)
    const { data } = refusal.safeParse(parsed(text))
    const issue = data?.details?.[0]?.issue ?? data?.name ?? data?.error ?? `HTTP_${status}`
    if (status === tokenRefused || (status === 403 && /^(NOT_AUTHORIZED|PERMISSION_DENIED)$/.test(issue)))
      return { kind: 'unauthorized', status, cause: new Error(`PayPal refuses the credentials: ${issue}`) }
    return { kind: 'refused', status, issue }
  } catch (error) {
    return { kind: 'unanswered', cause: error instanceof Error ? error : new Error(String(error)) }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return null
  }
}
