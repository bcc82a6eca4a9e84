import { z } from 'zod'
import { HasuraError } from '../hasura-error.ts'
import { defaultHeaders } from '../webhook/default-headers.ts'
import { forwardedHeaders, headerTexts } from '../webhook/forwarded-headers.ts'
import { type WebhookRequest, sendWebhook } from '../webhook/send-webhook.ts'
import { type AuthenticationRequest, type Session, createSession } from './types.ts'

/** HASURA_GRAPHQL_AUTH_HOOK and HASURA_GRAPHQL_AUTH_HOOK_MODE. */
export interface AuthHook {
  readonly url: string
  readonly mode: 'GET' | 'POST'
  /** Whether a POST includes the GraphQL request beside the headers. Default: true. */
  readonly sendsRequest?: boolean
  /** Milliseconds. Default: 10 seconds, as in Hasura. */
  readonly timeoutMs?: number
}

export interface WebhookClient {
  authenticate(request: AuthenticationRequest): Promise<Session>
}

const defaultTimeoutMs = 10_000
const maxAnswerBytes = 256 * 1024

const answerSchema = z.record(z.string(), z.string())

/**
 * Authenticates each request by Hasura's auth webhook. The answer's expiry (`Cache-Control`, `Expires`) matters only
 * for WebSockets, which are authenticated once. Throws HasuraError.
 */
export const createWebhookClient = (hook: AuthHook): WebhookClient => ({
  authenticate: (request) => ask(hook, questionOf(hook, request)),
})

/** The request to the webhook. As in Hasura, a POST's body contains all of the client's headers. */
function questionOf({ url, mode, sendsRequest }: AuthHook, request: AuthenticationRequest): WebhookRequest {
  if (mode === 'GET') {
    const forwarded = Object.entries(forwardedHeaders(request.headers))
    return { method: mode, url, headers: [...forwarded, ...defaultHeaders], body: undefined }
  }
  const graphqlRequest = sendsRequest === false ? {} : { request: request.graphql ?? null }
  const body = JSON.stringify({ headers: headerTexts(request.headers), ...graphqlRequest })
  return { method: mode, url, headers: defaultHeaders, body }
}

async function ask(hook: AuthHook, question: WebhookRequest): Promise<Session> {
  const timeoutMs = hook.timeoutMs ?? defaultTimeoutMs
  const answer = await sendWebhook(question, { timeoutMs, maxAnswerBytes, staysWithHost: true })
  if (answer.kind === 'unanswered')
    throw new HasuraError('unexpected', 'webhook authentication request failed', { status: 500 })
  switch (answer.status) {
    case 200:
      return readAnswer(answer.body)
    case 401:
      throw new HasuraError('access-denied', 'Authentication hook unauthorized this request', { status: 401 })
    default:
      throw invalidAnswer()
  }
}

const invalidAnswer = (): HasuraError =>
  new HasuraError('unexpected', 'Invalid response from authorization hook', { status: 500 })

function readAnswer(text: string): Session {
  const answer = answerSchema.safeParse(parseJson(text))
  if (!answer.success) throw invalidAnswer()
  const values = Object.fromEntries(
    Object.entries(answer.data).map(([name, value]) => [name.toLowerCase(), value]),
  )
  const role = values['x-hasura-role']
  if (role === undefined || role === '') {
    throw new HasuraError('unexpected', 'missing x-hasura-role in the response of the authorization hook', {
      status: 500,
    })
  }
  const variables = Object.fromEntries(
    Object.entries(values).filter(([name]) => name.startsWith('x-hasura-')),
  )
  const session = createSession(role, variables)
  const expiresAt = expiryOf(values)
  return expiresAt > Date.now() ? { ...session, expiresAt } : session
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

/** The expiry in milliseconds since the epoch. As in HTTP, `Cache-Control: max-age` takes precedence over `Expires`. */
function expiryOf(values: Readonly<Record<string, string>>): number {
  const cacheControl = values['cache-control']
  if (cacheControl !== undefined) {
    const seconds = /(?:^|[,\s])max-age\s*=\s*(\d+)/i.exec(cacheControl)?.[1]
    return /no-(?:cache|store)/i.test(cacheControl) || seconds === undefined
      ? 0
      : Date.now() + Number(seconds) * 1000
  }
  const expires = Date.parse(values['expires'] ?? '')
  return Number.isNaN(expires) ? 0 : expires
}
