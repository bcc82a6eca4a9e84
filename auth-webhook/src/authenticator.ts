import { hash } from 'node:crypto'
import type { JWK } from 'jose'
import type { Logger } from 'pino'
import { acrossMerchants } from '@commerce-graph/postgres-driver/merchant-scope'
import { SharedListener } from '@commerce-graph/postgres-driver/shared-listener'
import postgres, { type Pooler, sessionOptions, type Sql } from '@commerce-graph/postgres-driver'
import { AccessCache } from './access-cache.ts'
import { AccessChanges } from './access-changes.ts'
import type { AccessScope, Grant, Verification } from './access.ts'
import { isAllowed, parseAllowList } from './allow-list.ts'
import { actorOf } from './actor.ts'
import { AuditTrail, type Origin } from '@commerce-graph/audit'
import { refuse, type Authentication, type Refusal } from './authentication.ts'
import { clientAddress } from './client-address.ts'
import { parseCredential, type Credential } from './credentials.ts'
import { CredentialUsage } from './credential-usage.ts'
import { originFault } from './origin-rule.ts'
import { defaultPlace } from './place-tag.ts'
import { isJob, type Mode, type Principal } from './principal.ts'
import { UntrustedProxies } from './untrusted-proxy.ts'
import { UsedKeys } from './used-keys.ts'
import { VerificationKeys } from '@commerce-graph/access-tokens'
import { verifyKey } from './verify-key.ts'
import { cartSecretVariable } from './cart-secret.ts'
import { verifyOperatorKey } from './verify-operator-key.ts'
import { verifyPublishableKey } from './verify-publishable-key.ts'
import { verifySignInPage } from './verify-sign-in-page.ts'
import { type TrustedIssuer, TrustedIssuers } from './trusted-issuers.ts'
import { type TokenKeys, verifyToken } from './verify-token.ts'
import { withDeadline } from './with-deadline.ts'

export interface AuthenticatorOptions {
  readonly databaseUrl: string
  /** The pooler that the URL leads to. */
  readonly pooler?: Pooler | undefined
  /** The connection that hears of changes, which others of this process share; one of its own if absent. */
  readonly listener?: SharedListener | undefined
  /** Connections at most, beside that one; 4 by default. */
  readonly connections?: number | undefined
  /** A live deployment refuses test keys. */
  readonly mode: Mode
  /** The deployment's place, which new keys name; `main` when absent. Keys of other places are refused. */
  readonly place?: string
  /** Networks of proxies whose X-Forwarded-For is trusted; none by default. */
  readonly trustedProxies?: readonly string[]
  /** External issuers that sign customers in; none by default. */
  readonly trustedIssuers?: readonly TrustedIssuer[]
  /** The API that authenticates, for the audit log; the contract by default. */
  readonly source?: Origin['source']
  /**
   * Called when the access of a merchant or of operators has changed, or, without an argument, when changes may have
   * been missed. The cached results are already removed then.
   */
  readonly onAccessChange?: (scope: AccessScope | undefined) => void
  readonly logger: Logger
}

export interface AuthenticationRequest {
  /** The Authorization header. */
  readonly authorization: string | undefined
  /** The address of the socket's peer. */
  readonly remoteAddress: string | undefined
  /** The X-Forwarded-For header. */
  readonly forwardedFor?: string | undefined
  /** The Origin header, which must be one of a publishable key's origins. */
  readonly origin?: string | undefined
  /** The X-Cart-Secret header, which gives a guest access to its cart. */
  readonly cartSecret?: string | undefined
  /** The request id in the log and the audit log. */
  readonly requestId?: string | undefined
}

export interface Authenticator {
  /** Identifies the caller. Never throws: if that is impossible now, the result is `unavailable`. */
  authenticate(request: AuthenticationRequest): Promise<Authentication>
  /**
   * Identifies the sign-in page of `/admin`, for the users of a merchant. The caller has checked that the request comes from that
   * page. Never throws, like `authenticate`.
   *
   * @param merchantId a UUID
   */
  authenticateSignInPage(
    merchantId: string,
    request: Omit<AuthenticationRequest, 'authorization'>,
  ): Promise<Authentication>
  /** Records refused accesses, and mutations without effect. */
  readonly audit: AuditTrail
  /** Looks up used Idempotency-Keys. */
  readonly usedKeys: Pick<UsedKeys, 'find'>
  /** The public keys of our tokens, for `/.well-known/jwks.json`; null while they are not available. */
  publicKeys(): Promise<{ readonly keys: readonly JWK[] } | null>
  /** Whether revocations are received at this moment. */
  readonly healthy: boolean
  /** The client's address, of a request without a credential, too. Undefined: it can't be told. */
  addressOf(request: Pick<AuthenticationRequest, 'remoteAddress' | 'forwardedFor'>): string | undefined
  /** Whether the socket's peer is a trusted proxy. */
  isTrustedProxy(address: string | undefined): boolean
  /** A warning for operators about a proxy that isn't trusted; null if there was none. */
  readonly untrustedProxy: string | null
  close(): Promise<void>
}

// The maximum of running and waiting verifications. Beyond it, a client is guessing or the database is slow;
// further ones are refused.
const maxVerifications = 1_000
const verificationTimeoutMs = 2_000
const defaultConnections = 4

/**
 * The stages, in order: address -> credential -> verify key | verify token -> allow-list. The third is cached by
 * SHA-256 of the credential until access changes; the others run for each request and take microseconds.
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { databaseUrl, source = 'CONTRACT', logger } = options
  const trustedProxies = parseAllowList(options.trustedProxies ?? [])
  const pool = postgres(databaseUrl, {
    max: options.connections ?? defaultConnections,
    idle_timeout: 30,
    connect_timeout: 2,
    backoff: () => 0.2,
    ...sessionOptions(
      { application_name: 'auth-webhook', statement_timeout: verificationTimeoutMs },
      options.pooler,
    ),
  })
  const sql = acrossMerchants(pool, 'a credential says whose it is')
  const listener = options.listener ?? new SharedListener(options.pooler?.directUrl ?? databaseUrl)
  const keys = new VerificationKeys(sql)
  const tokenKeys = { keys, trustedIssuers: new TrustedIssuers(options.trustedIssuers ?? [], logger) }
  const verifier = new Verifier({ ...options, listener, sql, tokenKeys })
  const usage = new CredentialUsage(sql, logger)
  const audit = new AuditTrail(sql, logger)
  const untrustedProxies = new UntrustedProxies(logger)

  async function authenticate(request: AuthenticationRequest): Promise<Authentication> {
    const { remoteAddress, forwardedFor } = request
    const address = clientAddress(remoteAddress, forwardedFor, trustedProxies)
    if (forwardedFor !== undefined && !isAllowed(trustedProxies, remoteAddress))
      untrustedProxies.notice(remoteAddress)
    const credential = parseCredential(request.authorization, options.place)
    if (credential.kind === 'refused') return recorded(credential, undefined, originOf(request, address))
    const verification = verifier.cached(credential) ?? (await verifier.verify(credential))
    if (verification === undefined) return { kind: 'unavailable' }
    if (verification.kind === 'refused') return recorded(verification, credential, originOf(request, address))
    const whence = { address, origin: request.origin, mode: options.mode, source }
    const admitted = admit(verification, credential.kind, whence)
    if (admitted.kind === 'refused') return recorded(admitted, credential, originOf(request, address))
    const { principal, expiresAt } = admitted
    usage.record(principal)
    return {
      kind: 'authenticated',
      principal: withCart(principal, request.cartSecret),
      expiresAt,
      clientAddress: address ?? null,
    }
  }

  async function authenticateSignInPage(
    merchantId: string,
    request: Omit<AuthenticationRequest, 'authorization'>,
  ): Promise<Authentication> {
    const { remoteAddress, forwardedFor } = request
    const address = clientAddress(remoteAddress, forwardedFor, trustedProxies)
    const verification = await verifier.verifySignInPage(merchantId)
    if (verification === undefined) return { kind: 'unavailable' }
    const whence = { address, origin: request.origin, mode: options.mode, source }
    const admitted = verification.kind === 'refused' ? verification : admit(verification, 'page', whence)
    if (admitted.kind === 'refused') return recorded(admitted, undefined, originOf(request, address))
    const { principal, expiresAt } = admitted
    return { kind: 'authenticated', principal, expiresAt, clientAddress: address ?? null }
  }

  const originOf = (
    { requestId }: Pick<AuthenticationRequest, 'requestId'>,
    address: string | undefined,
  ): Origin => ({
    clientAddress: address ?? null,
    requestId: requestId ?? null,
    source,
  })

  function recorded(refusal: Refusal, credential: Credential | undefined, origin: Origin): Refusal {
    const { id, reason, actor = null } = refusal
    logger.info({ id, reason, requestId: origin.requestId, credential: credential?.kind }, 'refused')
    audit.refused({ actor, code: id, operation: null, ...origin })
    return refusal
  }

  return {
    authenticate,
    authenticateSignInPage,
    audit,
    usedKeys: new UsedKeys(sql),
    async publicKeys() {
      try {
        return { keys: await withDeadline(verificationTimeoutMs, keys.published()) }
      } catch (error) {
        logger.error({ err: error }, 'the public keys could not be read')
        return null
      }
    },
    get healthy() {
      return verifier.healthy
    },
    addressOf: ({ remoteAddress, forwardedFor }) =>
      clientAddress(remoteAddress, forwardedFor, trustedProxies),
    isTrustedProxy: (address) => isAllowed(trustedProxies, address),
    get untrustedProxy() {
      return untrustedProxies.problem
    },
    async close() {
      await verifier.close()
      await usage.close()
      await audit.close()
      await pool.end({ timeout: 5 })
    },
  }
}

/** Adds the hash of the request's cart secret to a guest's session variables. */
const withCart = (principal: Principal, secret: string | undefined): Principal =>
  principal.kind === 'guest' && secret !== undefined
    ? {
        ...principal,
        sessionVariables: {
          ...principal.sessionVariables,
          'x-hasura-cart-secret-hash': cartSecretVariable(secret),
        },
      }
    : principal

interface Whence {
  readonly address: string | undefined
  readonly origin: string | undefined
  readonly mode: Mode
  readonly source: Origin['source']
}

// The checks of a cached grant at each use: that it hasn't expired, and that the client's address and origin are allowed.
function admit(
  grant: Grant,
  kind: Credential['kind'] | 'page',
  { address, origin, mode, source }: Whence,
): Grant | Refusal {
  // At Hasura's own API a job could write.
  if (isJob(grant.principal) && source !== 'CONTRACT')
    return refuse('SVC_AUTH_001', 'the token of a job outside the contract', actorOf(grant.principal))
  if (grant.expiresAt <= Date.now()) {
    return refuse(
      kind === 'token' ? 'SVC_AUTH_002' : 'SVC_AUTH_001',
      `${kind} has expired`,
      actorOf(grant.principal),
    )
  }
  const reason = grant.origins && originFault(grant.origins, origin, mode)
  if (reason != null)
    return {
      ...refuse('SVC_AUTH_003', reason, actorOf(grant.principal)),
      shown: { field: 'Origin', reason },
    }
  if (grant.allowList !== undefined && !isAllowed(grant.allowList, address)) {
    return refuse(
      'SVC_AUTH_004',
      `${address ?? 'unknown address'} is not on the allow-list`,
      actorOf(grant.principal),
    )
  }
  return grant
}

type VerifierOptions = Pick<AuthenticatorOptions, 'mode' | 'place' | 'onAccessChange' | 'logger'> & {
  readonly sql: Sql
  readonly listener: SharedListener
  readonly tokenKeys: TokenKeys
}

/** Verification with its cache: what is cached, what is running, and when neither may be trusted. */
class Verifier {
  readonly #sql: Sql
  readonly #mode: Mode
  readonly #place: string
  readonly #logger: Logger
  readonly #cache = new AccessCache()
  readonly #tokenKeys: TokenKeys
  readonly #changes: AccessChanges
  /** By epoch and hash, so that no request joins a verification that began before access changed. */
  readonly #underWay = new Map<string, Promise<Verification | undefined>>()

  constructor({
    sql,
    mode,
    place = defaultPlace,
    tokenKeys,
    listener,
    onAccessChange,
    logger,
  }: VerifierOptions) {
    this.#sql = sql
    this.#mode = mode
    this.#place = place
    this.#logger = logger
    this.#tokenKeys = tokenKeys
    this.#changes = new AccessChanges({
      listener,
      logger,
      onChange: (scope) => {
        this.#cache.forget(scope)
        onAccessChange?.(scope)
      },
      onGap: () => {
        this.#cache.clear()
        onAccessChange?.(undefined)
      },
    })
  }

  get healthy(): boolean {
    return this.#changes.heard
  }

  cached(credential: Credential): Verification | undefined {
    return this.#changes.heard ? this.#cache.find(hashOf(credential)) : undefined
  }

  /** Undefined if it can't be determined now. */
  verify(credential: Credential): Promise<Verification | undefined> {
    const { epoch } = this.#cache
    const id = `${epoch} ${hashOf(credential)}`
    const underWay = this.#underWay.get(id)
    if (underWay !== undefined) return underWay
    if (this.#underWay.size >= maxVerifications) return Promise.resolve(undefined)
    const verification = this.#verifyNow(credential, epoch).finally(() => this.#underWay.delete(id))
    this.#underWay.set(id, verification)
    return verification
  }

  async #verifyNow(credential: Credential, epoch: number): Promise<Verification | undefined> {
    try {
      const verification = this.#servedHere(await withDeadline(verificationTimeoutMs, this.#ask(credential)))
      if (this.#changes.heard) this.#cache.remember(hashOf(credential), verification, epoch)
      return verification
    } catch (error) {
      this.#logger.error({ err: error }, 'a credential could not be verified')
      return undefined
    }
  }

  /** Not cached: signing in is rare. Undefined if it can't be determined now. */
  async verifySignInPage(merchantId: string): Promise<Verification | undefined> {
    try {
      return this.#servedHere(
        await withDeadline(verificationTimeoutMs, verifySignInPage(this.#sql, merchantId)),
      )
    } catch (error) {
      this.#logger.error({ err: error }, 'the shop of a sign-in page could not be verified')
      return undefined
    }
  }

  #ask(credential: Credential): Promise<Verification> {
    switch (credential.kind) {
      case 'key':
        return verifyKey(this.#sql, credential.key)
      case 'token':
        return verifyToken(this.#sql, this.#tokenKeys, credential.token)
      case 'operator':
        return verifyOperatorKey(this.#sql, credential.key)
      case 'publishable':
        return verifyPublishableKey(this.#sql, credential.key, this.#place)
      default:
        return credential satisfies never
    }
  }

  /** A live deployment refuses test keys (specification, Authentication 3) and all else that reaches test data. */
  #servedHere(verification: Verification): Verification {
    return this.#mode === 'live' && verification.kind === 'granted' && verification.isTestData
      ? refuse('SVC_AUTH_001', 'test data on a live deployment', actorOf(verification.principal))
      : verification
  }

  close(): Promise<void> {
    return this.#changes.close()
  }
}

const hashOf = (credential: Credential): string =>
  hash('sha256', credential.kind === 'token' ? credential.token : credential.key, 'base64')
