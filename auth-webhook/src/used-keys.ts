import type { Sql } from '@commerce-graph/postgres-driver'
import { forMerchant } from '@commerce-graph/postgres-driver/merchant-scope'
import type { TenantPrincipal } from './principal.ts'

/** The record of a row mutation that was sent with an Idempotency-Key. */
export interface UsedKey {
  readonly operation: string
  readonly fingerprint: string
  /** The ids of the written rows; the record's own is the first, if there is one. */
  readonly recordIds: readonly string[]
}

/** Looks up used Idempotency-Keys. The database records a key together with the rows that were written with it. */
export class UsedKeys {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Null: the caller has not used the key, or its record has expired. */
  async find(
    principal: TenantPrincipal,
    { value, part }: { readonly value: string; readonly part: string },
  ): Promise<UsedKey | null> {
    // Guests write rows through actions only.
    if (principal.kind === 'guest') return null
    const caller = principal.kind === 'customer' ? `customer:${principal.customerId}` : 'merchant'
    const [found] = await forMerchant(this.#sql, principal.merchantId)<UsedKey[]>`
      SELECT operation, fingerprint, record_ids::text[] AS "recordIds" FROM platform.idempotency_record
      WHERE merchant_id = ${principal.merchantId} AND caller = ${caller} AND key = ${value} AND part = ${part}
        AND expires_at > now()`
    return found ?? null
  }
}
