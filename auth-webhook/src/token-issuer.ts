import { SignJWT } from 'jose'
import postgres from 'postgres'
import type { CustomerId, MerchantId } from './principal.ts'
import { currentSigningKey, SIGNING_ALGORITHM } from './signing-keys.ts'
import { AUDIENCE, ISSUER, MAX_TOKEN_TTL_SECONDS } from './token-claims.ts'

export type CustomerTokenRequest = {
  readonly merchantId: MerchantId
  readonly customerId: CustomerId
  /** A whole number from 1 to MAX_TOKEN_TTL_SECONDS. */
  readonly ttlSeconds: number
}

export type AccessToken = { readonly accessToken: string; readonly expiresAt: Date }

export type TokenIssuer = {
  /**
   * Signs an access token for a shopper. Whether the customer exists, and whether the caller may speak for it, is
   * for the caller to know; a token of a customer who is gone is refused when it is used.
   *
   * @throws RangeError when ttlSeconds is out of bounds
   */
  issueCustomerToken(request: CustomerTokenRequest): Promise<AccessToken>
  close(): Promise<void>
}

export function createTokenIssuer({ databaseUrl }: { readonly databaseUrl: string }): TokenIssuer {
  const sql = postgres(databaseUrl, {
    max: 1,
    idle_timeout: 20,
    connection: { application_name: 'token-issuer' },
  })
  return {
    async issueCustomerToken({ merchantId, customerId, ttlSeconds }) {
      if (!Number.isInteger(ttlSeconds) || ttlSeconds < 1 || ttlSeconds > MAX_TOKEN_TTL_SECONDS) {
        throw new RangeError(
          `ttlSeconds is ${ttlSeconds}; it must be a whole number from 1 to ${MAX_TOKEN_TTL_SECONDS}`,
        )
      }
      const signingKey = await currentSigningKey(sql)
      const issuedAt = Math.floor(Date.now() / 1000)
      const expiresAt = issuedAt + ttlSeconds
      const accessToken = await new SignJWT({ kind: 'customer', merchant_id: merchantId })
        .setProtectedHeader({ alg: SIGNING_ALGORITHM, typ: 'at+jwt', kid: signingKey.id })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(customerId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiresAt)
        .sign(signingKey.privateKey)
      return { accessToken, expiresAt: new Date(expiresAt * 1000) }
    },
    close: () => sql.end({ timeout: 5 }),
  }
}
