import { z } from 'zod'
import type { CustomerId, MerchantId } from './principal.ts'

export const ISSUER = 'commerce-graph'
export const AUDIENCE = 'commerce-graph'

/** No token is valid for longer, whoever asks for it. */
export const MAX_TOKEN_TTL_SECONDS = 24 * 60 * 60

/** How far the clocks of the machine that signs and the one that verifies may be apart. */
export const CLOCK_TOLERANCE_SECONDS = 5

/** The claims of a shopper's token, beyond the registered ones that jose checks. */
export const customerClaims = z.object({
  kind: z.literal('customer'),
  sub: z.uuid().transform((id) => id as CustomerId),
  merchant_id: z.uuid().transform((id) => id as MerchantId),
  exp: z.number(),
})

export type CustomerClaims = z.infer<typeof customerClaims>
