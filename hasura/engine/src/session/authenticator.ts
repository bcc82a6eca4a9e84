import { hash, timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { HasuraError } from '../hasura-error.ts'
import type { Logger } from 'pino'
import { type AuthHook, type WebhookClient, createWebhookClient } from './auth-webhook.ts'
import type { JwtSecret } from './jwt-config.ts'
import { type JwtVerifier, createJwtVerifier } from './jwt-verifier.ts'
import { type AuthenticationRequest, type Session, adminRole, createSession } from './types.ts'

export interface AuthenticatorOptions {
  /** Any of them authenticates as admin. */
  readonly adminSecret?: string | readonly string[] | undefined
  readonly authHook?: AuthHook | undefined
  readonly jwtSecrets?: readonly JwtSecret[] | undefined
  readonly unauthorizedRole?: string | undefined
  readonly logger: Logger
}

export interface Authenticator {
  /** The session of a request. Throws HasuraError `access-denied` (401), or 500 when the webhook fails. */
  authenticate(request: AuthenticationRequest): Promise<Session>
}

const secretHeaders = ['x-hasura-admin-secret', 'x-hasura-access-key'] as const
const notVariables: ReadonlySet<string> = new Set([
  ...secretHeaders,
  'x-hasura-role',
  'x-hasura-use-backend-only-permissions',
])

/**
 * Follows Hasura's order: with the admin secret, the request's own `x-hasura-*` headers are the session. Without it,
 * the webhook or a token decides; without these, the request has the unauthorized role, if there is one. If no secret
 * is configured, every request's headers are its session.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { unauthorizedRole, jwtSecrets = [], logger } = options
  const problem = authenticationProblem(options)
  if (problem !== undefined) throw new Error(problem)
  const digests = adminSecrets(options).map(digest)
  const webhook: WebhookClient | undefined = options.authHook && createWebhookClient(options.authHook)
  const tokens: JwtVerifier | undefined =
    jwtSecrets.length === 0 ? undefined : createJwtVerifier(jwtSecrets, logger)
  return {
    authenticate: async (request) => {
      const { headers } = request
      if (digests.length === 0) return sessionFromHeaders(headers)
      const given = secretHeaders.map((name) => headers[name]).find((value) => typeof value === 'string')
      if (given !== undefined) {
        if (isOneOf(digest(given), digests)) return sessionFromHeaders(headers)
        throw accessDenied('invalid x-hasura-admin-secret/x-hasura-access-key')
      }
      if (webhook) return webhook.authenticate(request)
      const session = await tokens?.verify(headers)
      if (session) return session
      if (unauthorizedRole !== undefined) return createSession(unauthorizedRole, variablesFrom(headers))
      throw tokens === undefined
        ? accessDenied('x-hasura-admin-secret/x-hasura-access-key required, but not found')
        : new HasuraError(
            'invalid-headers',
            "Missing 'Authorization' or 'Cookie' header in JWT authentication mode",
          )
    },
  }
}

/** Whether an authenticated request has only the admin secret as its credential. */
export const bearsAdminSecret = (headers: IncomingHttpHeaders): boolean =>
  secretHeaders.some((name) => typeof headers[name] === 'string')

const adminSecrets = ({ adminSecret }: Pick<AuthenticatorOptions, 'adminSecret'>): readonly string[] =>
  adminSecret === undefined ? [] : [adminSecret].flat()

/** The problem of a combination of means of authentication, in Hasura's words; undefined if there is none. */
export function authenticationProblem(options: Omit<AuthenticatorOptions, 'logger'>): string | undefined {
  const { authHook, jwtSecrets = [], unauthorizedRole } = options
  const requiresSecret =
    'requires --admin-secret (HASURA_GRAPHQL_ADMIN_SECRET) or --access-key (HASURA_GRAPHQL_ACCESS_KEY) to be set'
  const hasSecret = adminSecrets(options).length > 0
  if (authHook !== undefined && jwtSecrets.length > 0)
    return 'Both webhook and JWT mode cannot be enabled at the same time'
  if (!hasSecret && authHook !== undefined) return `--auth-hook (HASURA_GRAPHQL_AUTH_HOOK) ${requiresSecret}`
  if (!hasSecret && jwtSecrets.length > 0) return `--jwt-secret (HASURA_GRAPHQL_JWT_SECRET) ${requiresSecret}`
  if (!hasSecret && unauthorizedRole !== undefined)
    return `--unauthorized-role (HASURA_GRAPHQL_UNAUTHORIZED_ROLE) ${requiresSecret}`
  if (authHook !== undefined && unauthorizedRole !== undefined)
    return '--unauthorized-role (HASURA_GRAPHQL_UNAUTHORIZED_ROLE) is not allowed when --auth-hook (HASURA_GRAPHQL_AUTH_HOOK) is set'
  return undefined
}

/** Compares with all secrets, so that the time doesn't reveal which one matches. */
const isOneOf = (given: Buffer, digests: readonly Buffer[]): boolean =>
  digests.map((each) => timingSafeEqual(given, each)).includes(true)

const accessDenied = (message: string): HasuraError =>
  new HasuraError('access-denied', message, { status: 401 })

/** Digests are compared, so that the time reveals neither the secret's length nor its beginning. */
const digest = (text: string): Buffer => hash('sha256', text, 'buffer')

function sessionFromHeaders(headers: IncomingHttpHeaders): Session {
  const role = headers['x-hasura-role']
  return createSession(typeof role === 'string' && role !== '' ? role : adminRole, variablesFrom(headers), {
    backendOnlyPermissions: backendOnly(headers['x-hasura-use-backend-only-permissions']),
  })
}

const yes: readonly string[] = ['true', 't', 'yes', 'y']
const no: readonly string[] = ['false', 'f', 'no', 'n']

function backendOnly(value: string | string[] | undefined): boolean {
  if (value === undefined) return false
  const text = String(value).toLowerCase()
  if (yes.includes(text)) return true
  if (no.includes(text)) return false
  throw new HasuraError(
    'bad-request',
    `x-hasura-use-backend-only-permissions:  Not a valid boolean text. True values are ${JSON.stringify(yes)} and  False values are ${JSON.stringify(no)}. All values are case insensitive`,
  )
}

function variablesFrom(headers: IncomingHttpHeaders): Record<string, string> {
  const variables: Record<string, string> = {}
  for (const name in headers) {
    if (!name.startsWith('x-hasura-') || notVariables.has(name)) continue
    const value = headers[name]
    if (typeof value === 'string') variables[name] = value
  }
  return variables
}
