import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { HasuraError } from '../hasura-error.ts'
import { type AuthHook, type WebhookClient, createWebhookClient } from './auth-webhook.ts'
import { type Session, adminRole, createSession } from './types.ts'

export interface AuthenticatorOptions {
  readonly adminSecret?: string | undefined
  readonly authHook?: AuthHook | undefined
  readonly unauthorizedRole?: string | undefined
}

/** What the webhook in POST mode is told beside the headers. */
export interface AuthenticationRequest {
  readonly headers: IncomingHttpHeaders
  readonly graphql?: {
    readonly query?: unknown
    readonly operationName?: unknown
    readonly variables?: unknown
  }
}

export interface Authenticator {
  /** Finds out who asks. Throws HasuraError `access-denied` (401), or 500 when the webhook fails. */
  authenticate(request: AuthenticationRequest): Promise<Session>
}

const secretHeaders = ['x-hasura-admin-secret', 'x-hasura-access-key'] as const
const notVariables: ReadonlySet<string> = new Set([
  ...secretHeaders,
  'x-hasura-role',
  'x-hasura-use-backend-only-permissions',
])

/**
 * Hasura's order: with the admin secret the request's own `x-hasura-*` headers are the session; without it
 * the webhook decides; without a webhook the unauthorized role, if there is one. With no secret configured,
 * everyone is who they say.
 */
export const createAuthenticator = (options: AuthenticatorOptions): Authenticator => {
  const { adminSecret, unauthorizedRole } = options
  if (adminSecret === undefined && (options.authHook ?? unauthorizedRole) !== undefined) {
    throw new Error('a webhook or an unauthorized role guards nothing without an admin secret')
  }
  const secretDigest = adminSecret === undefined ? undefined : digest(adminSecret)
  const webhook: WebhookClient | undefined = options.authHook && createWebhookClient(options.authHook)
  return {
    authenticate: async (request) => {
      const { headers } = request
      if (secretDigest === undefined) return sessionFromHeaders(headers)
      const given = secretHeaders.map((name) => headers[name]).find((value) => typeof value === 'string')
      if (given !== undefined) {
        if (timingSafeEqual(digest(given), secretDigest)) return sessionFromHeaders(headers)
        throw accessDenied('invalid x-hasura-admin-secret/x-hasura-access-key')
      }
      if (webhook) return webhook.authenticate(request)
      if (unauthorizedRole !== undefined) return createSession(unauthorizedRole, variablesFrom(headers))
      throw accessDenied('x-hasura-admin-secret/x-hasura-access-key required, but not found')
    },
  }
}

const accessDenied = (message: string): HasuraError =>
  new HasuraError('access-denied', message, { status: 401 })

/** Digests are compared, so that the time taken tells neither the secret's length nor its beginning. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

const sessionFromHeaders = (headers: IncomingHttpHeaders): Session => {
  const role = headers['x-hasura-role']
  return createSession(typeof role === 'string' && role !== '' ? role : adminRole, variablesFrom(headers), {
    backendOnlyPermissions: backendOnly(headers['x-hasura-use-backend-only-permissions']),
  })
}

const yes: readonly string[] = ['true', 't', 'yes', 'y']
const no: readonly string[] = ['false', 'f', 'no', 'n']

const backendOnly = (value: string | string[] | undefined): boolean => {
  if (value === undefined) return false
  const text = String(value).toLowerCase()
  if (yes.includes(text)) return true
  if (no.includes(text)) return false
  throw new HasuraError(
    'bad-request',
    `x-hasura-use-backend-only-permissions:  Not a valid boolean text. True values are ${JSON.stringify(yes)} and  False values are ${JSON.stringify(no)}. All values are case insensitive`,
  )
}

const variablesFrom = (headers: IncomingHttpHeaders): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      name.startsWith('x-hasura-') && typeof value === 'string' && !notVariables.has(name)
        ? [[name, value]]
        : [],
    ),
  )
