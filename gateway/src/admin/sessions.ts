import type { Authenticator } from '@commerce-graph/auth-webhook'
import { createHash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { z } from 'zod'
import {
  catalogueError,
  type CatalogueError,
  syntaxError,
  unexpectedError,
  withStatus,
} from '@commerce-graph/contract/errors'
import { refusalBody } from '../errors/error-body.ts'
import type { EndpointParts } from '../endpoint-parts.ts'
import { answerOwnDocument, credentialsOf } from '../graphql-endpoint.ts'
import { readBody } from '../http/read-body.ts'
import type { AdminRoutes, Answer, Incoming } from '../http/server.ts'
import { foreignFault } from './own-pages.ts'
import { endedCookie, type KeptSession, readSession, sessionCookie, sessionPath } from './session-cookie.ts'

export interface AdminSessionOptions {
  readonly parts: EndpointParts
  readonly authenticator: Pick<Authenticator, 'authenticateSignInPage'>
  /** The shop that the sign-in page assumes. */
  readonly defaultShop: string | undefined
  /** Whether browsers send the cookie over HTTPS only. */
  readonly secureCookie: boolean
}

const signInBody = z.strictObject({
  shop: z.guid().toLowerCase().optional(),
  email: z.string().min(1).max(320),
  password: z.string().min(1).max(200),
  code: z.string().max(40).optional(),
})

/** The body of an answer to a sign-in or a renewal, as the contract gives it. */
const tokensAnswer = z.object({
  data: z.record(
    z.string(),
    z
      .object({
        accessToken: z.string().nullable(),
        expiresAt: z.string().nullable(),
        refreshToken: z.string().nullable(),
        codeRequired: z.boolean().nullish(),
        mfaRequired: z.boolean().nullish(),
        errors: z.array(z.object({ field: z.string().nullable(), message: z.string(), code: z.string() })),
      })
      .nullable(),
  ),
})

/** With errors, too: they say that there is no such session. */
const signOutAnswer = z.object({ data: z.object({ signOut: z.object({ errors: z.array(z.unknown()) }) }) })

const errorFields = 'errors { field message code }'
const documents = {
  signIn: `mutation AdminSignIn($input: SignInUserInput!) {
    signInUser(input: $input) { accessToken expiresAt refreshToken codeRequired mfaRequired ${errorFields} }
  }`,
  refresh: `mutation AdminRefresh($refreshToken: String!) {
    refreshSession(refreshToken: $refreshToken) { accessToken expiresAt refreshToken ${errorFields} }
  }`,
  signOut: `mutation AdminSignOut($refreshToken: String!) {
    signOut(refreshToken: $refreshToken) { success ${errorFields} }
  }`,
}

/**
 * The sessions of `/admin`: the page signs a person in and gets an access token, which it keeps in memory. What renews it is in a
 * cookie that no script can read, and that browsers send to this path alone.
 *
 *   POST /admin/session          signs in
 *   POST /admin/session/refresh  a new access token
 *   POST /admin/session/end      signs out
 *   GET  /admin/session          the shop that the sign-in page assumes
 */
export function createAdminSessions(options: AdminSessionOptions): AdminRoutes['sessions'] {
  const renewals = new Renewals()
  return async (incoming) => {
    const { request } = incoming
    const path = request.url?.split('?', 1)[0]
    if (request.method === 'GET' && path === sessionPath)
      return json(200, { shop: options.defaultShop ?? null })
    if (request.method !== 'POST') return refused(incoming, notPost, { allow: 'POST' })
    const fault = foreignFault(request.headers)
    if (fault !== null) return refused(incoming, catalogueError('SVC_AUTH_003', {}, { ...fault }))
    if (path === sessionPath) return signIn(options, incoming)
    const kept = readSession(request.headers.cookie)
    if (path === `${sessionPath}/end`) return signOut(options, incoming, kept)
    if (path !== `${sessionPath}/refresh`) return refused(incoming, notHere)
    if (kept === undefined) return ended(options, incoming)
    const answer = await renewals.once(kept, () => {
      // The request that began it may end before others that wait for its answer.
      const signal = AbortSignal.timeout(options.parts.limits.requestMilliseconds)
      return refresh(options, { ...incoming, signal }, kept)
    })
    return answer ?? refused(incoming, unexpectedError())
  }
}

async function signIn(options: AdminSessionOptions, incoming: Incoming): Promise<Answer | null> {
  const body = await readBody(incoming.request, options.parts.limits)
  if (body.kind === 'aborted') return null
  if (body.kind === 'refused') return refused(incoming, body.error)
  const parsed = signInBody.safeParse(parseJson(body.bytes))
  if (!parsed.success) {
    const field = parsed.error.issues[0]?.path.join('.') ?? 'body'
    return refused(incoming, syntaxError('A shop, an e-mail address and a password are needed', field))
  }
  const { shop = options.defaultShop, ...input } = parsed.data
  if (shop === undefined)
    return json(422, { errors: [{ field: 'shop', message: 'Which shop?', code: 'REQUIRED' }] })
  return ask(options, incoming, { document: documents.signIn, variables: { input }, merchantId: shop })
}

async function refresh(
  options: AdminSessionOptions,
  incoming: Incoming,
  { merchantId, refreshToken }: KeptSession,
): Promise<Answer | null> {
  const answer = await ask(options, incoming, {
    document: documents.refresh,
    variables: { refreshToken },
    merchantId,
  })
  return answer?.status === 401 ? ended(options, incoming) : answer
}

async function signOut(
  options: AdminSessionOptions,
  incoming: Incoming,
  kept: KeptSession | undefined,
): Promise<Answer | null> {
  if (kept !== undefined) {
    const { merchantId, refreshToken } = kept
    const asked = { document: documents.signOut, variables: { refreshToken }, merchantId }
    const answer = await run(options, incoming, asked)
    if (answer === null) return null
    // While the session lives on, the page isn't told that it has ended, and keeps its cookie to try again.
    if (!isSignedOut(answer)) return answer.status < 400 ? refused(incoming, unexpectedError()) : answer
  }
  return { status: 204, body: '', headers: { 'set-cookie': endedCookie(options.secureCookie) } }
}

/** The session has ended, or had ended before. */
const isSignedOut = ({ status, body }: Answer): boolean =>
  status === 401 || signOutAnswer.safeParse(parseJson(body)).success

interface Asked {
  readonly document: string
  readonly variables: object
  readonly merchantId: string
}

async function run(
  { parts, authenticator }: AdminSessionOptions,
  incoming: Incoming,
  { document, variables, merchantId }: Asked,
): Promise<Answer | null> {
  const authentication = await authenticator.authenticateSignInPage(merchantId, {
    ...credentialsOf(incoming.request),
    requestId: incoming.requestId,
  })
  return answerOwnDocument(parts, incoming, JSON.stringify({ query: document, variables }), authentication)
}

/** Runs a mutation that gives tokens, and puts the one that renews into the cookie. */
async function ask(options: AdminSessionOptions, incoming: Incoming, asked: Asked): Promise<Answer | null> {
  const answer = await run(options, incoming, asked)
  if (answer === null) return null
  const parsed = tokensAnswer.safeParse(JSON.parse(answer.body.toString()))
  const [given] = parsed.success ? Object.values(parsed.data.data) : []
  if (given == null) return answer
  const { refreshToken, accessToken, expiresAt, codeRequired, mfaRequired, errors } = given
  if (errors.length > 0) return json(422, { errors })
  if (refreshToken === null) return json(200, { codeRequired: codeRequired === true })
  const { merchantId } = asked
  return json(
    200,
    { accessToken, expiresAt, merchantId, mfaRequired: mfaRequired === true },
    { 'set-cookie': sessionCookie({ merchantId, refreshToken }, options.secureCookie) },
  )
}

/** Milliseconds in which the same cookie gets the same answer. */
const repeatMilliseconds = 10_000
const maxRenewals = 1_000

/**
 * A refresh token is good for once, and used twice it ends the session. A page that is loaded again while its first request is under
 * way sends the same cookie twice: both get the answer to the first. A renewal that didn't come to an answer can be tried again.
 */
class Renewals {
  readonly #recent = new Map<string, Promise<Answer | null>>()

  once({ refreshToken }: KeptSession, renew: () => Promise<Answer | null>): Promise<Answer | null> {
    const key = createHash('sha256').update(refreshToken).digest('base64')
    const recent = this.#recent.get(key)
    if (recent !== undefined) return recent
    const forget = (): boolean => this.#recent.delete(key)
    const renewal = renew().then(
      (answer) => {
        if (answer === null || answer.status >= 500) forget()
        return answer
      },
      (error: unknown) => {
        forget()
        throw error
      },
    )
    const [oldest] = this.#recent.keys()
    if (oldest !== undefined && this.#recent.size >= maxRenewals) this.#recent.delete(oldest)
    this.#recent.set(key, renewal)
    setTimeout(forget, repeatMilliseconds).unref()
    return renewal
  }
}

const notPost = withStatus(syntaxError('Send a POST', 'method'), 405)
const notHere = withStatus(syntaxError('There is nothing at this path', 'path'), 404)

const ended = ({ secureCookie }: AdminSessionOptions, incoming: Incoming): Answer =>
  refused(incoming, catalogueError('SVC_AUTH_002', {}), { 'set-cookie': endedCookie(secureCookie) })

const json = (status: number, value: object, headers: OutgoingHttpHeaders = {}): Answer => ({
  status,
  body: JSON.stringify(value),
  headers,
})

const refused = (
  { requestId }: Incoming,
  error: CatalogueError,
  headers: OutgoingHttpHeaders = {},
): Answer => ({
  status: error.status,
  body: refusalBody([error], { requestId, now: Date.now() }),
  headers,
})

function parseJson(text: string | Buffer): unknown {
  try {
    return JSON.parse(text.toString())
  } catch {
    return undefined
  }
}
