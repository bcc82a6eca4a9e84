import type { Logger } from 'pino'
import type { Sql } from '@commerce-graph/postgres-driver'
import type { ApiKeyId, MerchantId, OperatorKeyId, Principal } from './principal.ts'

const FLUSH_INTERVAL_MS = 10_000
// Each key is written at most once per flush; more than this many at a time wait for the next request's turn.
const MAX_PENDING = 10_000

/** `merchantId` is null for an operator's key. */
interface Usage {
  readonly merchantId: MerchantId | null
  usedAt: number
}

/**
 * Keeps `last_used_at` of merchants' and operators' keys without a write per request: the last use of each key is held in memory and
 * written together every ten seconds. A crash loses at most that much of what is, after all, a hint.
 */
export class KeyUsage {
  readonly #sql: Sql
  readonly #logger: Logger
  readonly #timer: NodeJS.Timeout
  #pending = new Map<ApiKeyId | OperatorKeyId, Usage>()

  constructor(sql: Sql, logger: Logger) {
    this.#sql = sql
    this.#logger = logger
    this.#timer = setInterval(() => void this.flush(), FLUSH_INTERVAL_MS).unref()
  }

  /** Does nothing for who came with a token. */
  record(principal: Principal): void {
    switch (principal.kind) {
      case 'key':
        this.#used(principal.keyId, principal.merchantId)
        return
      case 'operator':
        this.#used(principal.operatorKeyId, null)
        return
      case 'user':
      case 'customer':
        return
      default:
        principal satisfies never
    }
  }

  #used(keyId: ApiKeyId | OperatorKeyId, merchantId: MerchantId | null): void {
    const usage = this.#pending.get(keyId)
    if (usage !== undefined) usage.usedAt = Date.now()
    else if (this.#pending.size < MAX_PENDING) this.#pending.set(keyId, { merchantId, usedAt: Date.now() })
  }

  async flush(): Promise<void> {
    if (this.#pending.size === 0) return
    const usages = Array.from(this.#pending, ([id, usage]) => ({
      id,
      merchant_id: usage.merchantId,
      used_at: new Date(usage.usedAt).toISOString(),
    }))
    this.#pending = new Map()
    try {
      await this.#sql`
        WITH usage AS MATERIALIZED (
          SELECT * FROM jsonb_to_recordset(${this.#sql.json(usages)}) AS u (merchant_id uuid, id uuid, used_at timestamptz)
        ),
        operators AS (
          UPDATE operator.key k SET last_used_at = greatest(k.last_used_at, u.used_at)
          FROM usage u WHERE u.merchant_id IS NULL AND k.id = u.id
        )
        UPDATE merchant.api_key k
        SET last_used_at = greatest(k.last_used_at, u.used_at)
        FROM usage u
        WHERE k.merchant_id = u.merchant_id AND k.id = u.id`
    } catch (error) {
      this.#logger.warn({ err: error, keys: usages.length }, 'the last use of keys could not be written')
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}
