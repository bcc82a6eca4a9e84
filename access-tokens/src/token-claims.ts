import { z } from 'zod'
import type { CustomerId, MerchantId, UserId } from '@commerce-graph/contract/ids'

export const issuer = 'commerce-graph'
export const audience = 'commerce-graph'

/** The longest life of any token. */
export const maxTokenTtlSeconds = 24 * 60 * 60

/** The maximum difference between the clocks of the signing and the verifying machine. */
export const clockToleranceSeconds = 5

const shared = {
  merchant_id: z.uuid().transform((id) => id as MerchantId),
  exp: z.number(),
}

/** The longest life of a job's token: it is used at once, and no client ever has it. */
export const jobTokenTtlSeconds = 300

/** The life of a token that reads payloads of webhooks: one request. */
export const endpointTokenTtlSeconds = 60

/** The claims of our tokens, besides the registered ones that jose checks. `sid`: the token's session. */
export const tokenClaims = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('customer'),
    sub: z.uuid().transform((id) => id as CustomerId),
    sid: z.uuid(),
    ...shared,
  }),
  z.object({
    kind: z.literal('user'),
    sub: z.uuid().transform((id) => id as UserId),
    sid: z.uuid(),
    ...shared,
  }),
  // A background job that reads through the contract: `sub` is the job, `holder` the key or user that it reads for.
  z.object({
    kind: z.literal('job'),
    sub: z.uuid(),
    holder_kind: z.enum(['key', 'user']),
    holder: z.uuid(),
    permissions: z.array(z.string()).max(200),
    ...shared,
  }),
  // A webhook endpoint, for which payloads are read. `draft`: it is being written, and isn't in the database.
  z.object({
    kind: z.literal('webhook'),
    sub: z.guid(),
    permissions: z.array(z.string()),
    draft: z.boolean(),
    ...shared,
  }),
])

export type TokenClaims = z.infer<typeof tokenClaims>
