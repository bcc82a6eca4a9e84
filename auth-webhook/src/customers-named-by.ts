import { z } from 'zod'
import type { Fragment, Sql } from '@commerce-graph/postgres-driver'
import type { MerchantId } from '@commerce-graph/contract/ids'
import type { OutsideClaims } from './trusted-issuers.ts'

/**
 * A statement for the customers whom a token of another issuer names: by the id, then by the address. The issuer has verified the
 * address, or uses our ids for its customers. An account with a password whose address was never confirmed here is not found by the
 * address: anyone may have registered with it, and would be signed in to the same account.
 *
 * Two selections, because one with OR would read all of the merchant's customers.
 */
export function customersNamedBy(sql: Sql, merchantId: MerchantId, claims: OutsideClaims): Fragment {
  const id = z.guid().safeParse(claims.sub).data ?? null
  const email = claims.email_verified === true ? (claims.email ?? null) : null
  return sql`
    SELECT c.merchant_id, c.id, 1 AS named_by
    FROM crm.customer c
    WHERE c.merchant_id = ${merchantId} AND c.id = ${id}::uuid AND c.anonymized_at IS NULL AND c.blocked_at IS NULL
    UNION ALL
    SELECT c.merchant_id, c.id, 2
    FROM crm.customer c
    WHERE c.merchant_id = ${merchantId} AND c.email = ${email}::citext AND c.has_account
      AND c.anonymized_at IS NULL AND c.blocked_at IS NULL
      AND (
        c.email_verified
        OR NOT EXISTS (
          SELECT FROM identity.credential k WHERE k.merchant_id = c.merchant_id AND k.customer_id = c.id))`
}
