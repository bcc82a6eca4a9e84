import { type JWTPayload, SignJWT } from 'jose'
import postgres, { type Pooler, sessionOptions } from '@commerce-graph/postgres-driver'
import type { CustomerId, MerchantId, UserId } from '@commerce-graph/contract/ids'
import type { SecretBox } from '@commerce-graph/secret-box'
import { currentSigningKey, resealSigningKeys, rotateSigningKey, signingAlgorithm } from './signing-keys.ts'
import {
  audience,
  endpointTokenTtlSeconds,
  issuer,
  jobTokenTtlSeconds,
  maxTokenTtlSeconds,
} from './token-claims.ts'

export type TokenRequest = TokenSubject & {
  readonly merchantId: MerchantId
  /** The token ends with this session, even before its own expiry. */
  readonly sessionId: string
  /** A whole number from 1 to MAX_TOKEN_TTL_SECONDS. */
  readonly ttlSeconds: number
}

type TokenSubject =
  | { readonly kind: 'customer'; readonly customerId: CustomerId }
  | { readonly kind: 'user'; readonly userId: UserId }

/** A background job that reads through the contract what the key or user could read that it runs for. */
export interface JobTokenRequest {
  readonly merchantId: MerchantId
  readonly jobId: string
  readonly holder: { readonly kind: 'key' | 'user'; readonly id: string }
  /** What the job may use of the holder's permissions; those that the holder has lost since don't count. */
  readonly permissions: readonly string[]
}

/** A token that reads records for a webhook endpoint, with these permissions. */
export interface EndpointTokenRequest {
  readonly merchantId: MerchantId
  readonly endpointId: string
  readonly permissions: readonly string[]
  /** The endpoint isn't in the database yet. Otherwise the token ends with it. */
  readonly isDraft: boolean
}

export interface AccessToken {
  readonly accessToken: string
  readonly expiresAt: Date
}

export interface TokenIssuer {
  /**
   * Signs an access token. The caller checks that the person exists and that the request may act for them; a token
   * of a deleted person is refused when it is used.
   *
   * @throws RangeError when ttlSeconds is out of bounds
   */
  issue(request: TokenRequest): Promise<AccessToken>
  /** Signs a token that reads payloads of webhooks, for a minute. */
  issueForEndpoint(request: EndpointTokenRequest): Promise<string>
  /**
   * Signs a token for a job, for five minutes. The contract's endpoint takes it for queries alone, and counts them on
   * no rate; Hasura's API and WebSockets refuse it. Its requests fail when the holder is gone.
   */
  issueForJob(request: JobTokenRequest): Promise<AccessToken>
  /**
   * Creates a new key pair if the signing key is older than `maxAgeSeconds`. Older keys verify until the last token
   * that they signed has expired.
   *
   * @returns whether it created one
   */
  rotateKeys(maxAgeSeconds: number): Promise<boolean>
  /** Seals the keys again that were sealed with an older encryption key. Returns how many. */
  resealKeys(): Promise<number>
  close(): Promise<void>
}

export interface TokenIssuerOptions {
  readonly databaseUrl: string
  readonly pooler?: Pooler | undefined
  /** The box that seals the private keys. */
  readonly secretBox: SecretBox
}

export function createTokenIssuer({ databaseUrl, pooler, secretBox }: TokenIssuerOptions): TokenIssuer {
  const sql = postgres(databaseUrl, {
    max: 1,
    idle_timeout: 20,
    ...sessionOptions({ application_name: 'token-issuer' }, pooler),
  })
  async function sign(claims: JWTPayload, subject: string, ttlSeconds: number): Promise<AccessToken> {
    const signingKey = await currentSigningKey(sql, secretBox)
    const issuedAt = Math.floor(Date.now() / 1000)
    const expiresAt = issuedAt + ttlSeconds
    const accessToken = await new SignJWT(claims)
      .setProtectedHeader({ alg: signingAlgorithm, typ: 'at+jwt', kid: signingKey.id })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(subject)
      .setIssuedAt(issuedAt)
      .setExpirationTime(expiresAt)
      .sign(signingKey.privateKey)
    return { accessToken, expiresAt: new Date(expiresAt * 1000) }
  }

  return {
    async issue(request) {
      const { merchantId, ttlSeconds, sessionId } = request
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > maxTokenTtlSeconds) {
        throw new RangeError(
          `ttlSeconds is ${ttlSeconds}; it must be a whole number from 1 to ${maxTokenTtlSeconds}`,
        )
      }
      const subject = request.kind === 'user' ? request.userId : request.customerId
      return sign({ kind: request.kind, merchant_id: merchantId, sid: sessionId }, subject, ttlSeconds)
    },
    async issueForEndpoint({ merchantId, endpointId, permissions, isDraft }) {
      const claims = { kind: 'webhook', merchant_id: merchantId, permissions, draft: isDraft }
      return (await sign(claims, endpointId, endpointTokenTtlSeconds)).accessToken
    },
    issueForJob: ({ merchantId, jobId, holder, permissions }) =>
      sign(
        { kind: 'job', merchant_id: merchantId, holder_kind: holder.kind, holder: holder.id, permissions },
        jobId,
        jobTokenTtlSeconds,
      ),
    rotateKeys: (maxAgeSeconds) => rotateSigningKey(sql, secretBox, maxAgeSeconds, maxTokenTtlSeconds),
    resealKeys: () => resealSigningKeys(sql, secretBox),
    close: () => sql.end({ timeout: 5 }),
  }
}
