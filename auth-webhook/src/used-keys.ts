import type { Sql } from '@commerce-graph/postgres-driver'
import type { TenantPrincipal } from './principal.ts'

/** What a mutation of rows left that was sent with an Idempotency-Key. */
export interface UsedKey {
  readonly operation: string
  readonly fingerprint: string
  /** Of the record first, where there is one. */
  readonly recordIds: readonly string[]
}

/** Looks up which Idempotency-Keys were used; the database records them with what they were used for. */
export class UsedKeys {
  readonly #sql: Sql

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** Null: the caller has not used the key, or too long ago. */
  async find(
    principal: TenantPrincipal,
    { value, part }: { readonly value: string; readonly part: string },
  ): Promise<UsedKey | null> {
    const caller = principal.kind === 'customer' ? `customer:${principal.customerId}` : 'merchant'
    const [found] = await this.#sql<UsedKey[]>`
      SELECT operation, fingerprint, record_ids::text[] AS "recordIds" FROM platform.idempotency_record
      WHERE merchant_id = ${principal.merchantId} AND caller = ${caller} AND key = ${value} AND part = ${part}
        AND expires_at > now()`
    return found ?? null
  }
}
