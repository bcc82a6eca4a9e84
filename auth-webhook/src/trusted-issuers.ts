import { createRemoteJWKSet, type JWTVerifyGetKey } from 'jose'
import { z } from 'zod'
import type { MerchantId } from '@commerce-graph/contract/ids'

/** An external issuer whose tokens sign customers of a merchant in. */
export const trustedIssuer = z.object({
  /** The `iss` of its tokens. */
  issuer: z.string().min(1),
  /** The URL of its public keys. */
  jwksUrl: z.url({ protocol: /^https?$/ }),
  /** The `aud` of tokens for this platform. */
  audience: z.string().min(1),
  merchantId: z.uuid().transform((id) => id as MerchantId),
})

export type TrustedIssuer = z.output<typeof trustedIssuer>

/** Asymmetric algorithms only: with a shared secret, every verifier could sign, too. */
export const trustedAlgorithms = ['ES256', 'ES384', 'RS256', 'PS256', 'EdDSA', 'Ed25519']

const jwksTimeoutMs = 1_500
// An unknown key id causes a request for new keys, but at most one in this time, because clients can invent ids.
const jwksCooldownMs = 10_000
const jwksMaxAgeMs = 10 * 60 * 1000

/** The claims of an external issuer's token that we read, besides the registered ones that jose checks. */
export const outsideClaims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().max(254).optional(),
  email_verified: z.boolean().optional(),
  exp: z.number(),
})

export type OutsideClaims = z.infer<typeof outsideClaims>

/** The configured issuers with their keys, which are fetched with the first token and cached for ten minutes. */
export class TrustedIssuers {
  readonly #issuers: ReadonlyMap<string, TrustedIssuer & { readonly keys: JWTVerifyGetKey }>

  constructor(issuers: readonly TrustedIssuer[]) {
    this.#issuers = new Map(
      issuers.map((issuer) => [
        issuer.issuer,
        {
          ...issuer,
          keys: createRemoteJWKSet(new URL(issuer.jwksUrl), {
            timeoutDuration: jwksTimeoutMs,
            cooldownDuration: jwksCooldownMs,
            cacheMaxAge: jwksMaxAgeMs,
          }),
        },
      ]),
    )
  }

  find(issuer: string | undefined) {
    return issuer === undefined ? undefined : this.#issuers.get(issuer)
  }
}
