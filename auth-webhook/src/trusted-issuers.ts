import type { JWTVerifyGetKey } from 'jose'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { issuerKeys } from './issuer-keys.ts'

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

/** The claims of an external issuer's token that we read, besides the registered ones that jose checks. */
export const outsideClaims = z.object({
  sub: z.string().min(1).max(255),
  email: z.string().max(254).optional(),
  email_verified: z.boolean().optional(),
  exp: z.number(),
})

export type OutsideClaims = z.infer<typeof outsideClaims>

/** The configured issuers with their keys. */
export class TrustedIssuers {
  readonly #issuers: ReadonlyMap<string, TrustedIssuer & { readonly keys: JWTVerifyGetKey }>

  constructor(issuers: readonly TrustedIssuer[], logger: Logger) {
    this.#issuers = new Map(
      issuers.map((issuer) => [issuer.issuer, { ...issuer, keys: issuerKeys(issuer.jwksUrl, logger) }]),
    )
  }

  find(issuer: string | undefined) {
    return issuer === undefined ? undefined : this.#issuers.get(issuer)
  }
}
