import type { Logger } from 'pino'
import type { Sql } from '@commerce-graph/postgres-driver'
import type { MerchantId } from '@commerce-graph/contract/ids'
import { isJob, type Principal } from './principal.ts'

const flushIntervalMs = 10_000
// Each kind is written at most once per flush; ids beyond this number wait for their next request.
const maxPending = 10_000

type Used = 'key' | 'session' | 'operator'

/** `merchantId` is null for an operator's key. */
interface Usage {
  readonly used: Used
  readonly merchantId: MerchantId | null
  usedAt: number
}

/**
 * Updates `last_used_at` of merchants' and operators' keys and of sessions without a write per request: it keeps the
 * last uses in memory and writes them together every ten seconds, those of sessions with a precision of a minute. A
 * crash loses at most that time, which is acceptable for this value.
 */
export class CredentialUsage {
  readonly #sql: Sql
  readonly #logger: Logger
  readonly #timer: NodeJS.Timeout
  #pending = new Map<string, Usage>()

  constructor(sql: Sql, logger: Logger) {
    this.#sql = sql
    this.#logger = logger
    this.#timer = setInterval(() => void this.flush(), flushIntervalMs).unref()
  }

  /** Does nothing for a token of another issuer, which belongs to no session, nor for a job: its holder's key is not in use. */
  record(principal: Principal): void {
    if (isJob(principal)) return
    switch (principal.kind) {
      case 'key':
      case 'guest':
        this.#note('key', principal.keyId, principal.merchantId)
        return
      case 'operator':
        this.#note('operator', principal.operatorKeyId, null)
        return
      case 'user':
      case 'customer':
        if (principal.sessionId !== null) this.#note('session', principal.sessionId, principal.merchantId)
        return
      default:
        principal satisfies never
    }
  }

  #note(used: Used, id: string, merchantId: MerchantId | null): void {
    const usage = this.#pending.get(id)
    if (usage !== undefined) usage.usedAt = Date.now()
    else if (this.#pending.size < maxPending) this.#pending.set(id, { used, merchantId, usedAt: Date.now() })
  }

  async flush(): Promise<void> {
    if (this.#pending.size === 0) return
    const usages = Array.from(this.#pending, ([id, usage]) => ({
      id,
      used: usage.used,
      merchant_id: usage.merchantId,
      used_at: new Date(usage.usedAt).toISOString(),
    }))
    this.#pending = new Map()
    try {
      await this.#sql`
        WITH usage AS MATERIALIZED (
          SELECT * FROM jsonb_to_recordset(${this.#sql.json(usages)}) AS u (used text, merchant_id uuid, id uuid, used_at timestamptz)
        ),
        operators AS (
          UPDATE operator.key k SET last_used_at = greatest(k.last_used_at, u.used_at)
          FROM usage u WHERE u.used = 'operator' AND k.id = u.id
        ),
        sessions AS (
          UPDATE identity.session s SET last_used_at = u.used_at
          FROM usage u
          WHERE u.used = 'session' AND s.merchant_id = u.merchant_id AND s.id = u.id
            AND s.last_used_at < u.used_at - interval '1 minute'
        )
        UPDATE merchant.api_key k
        SET last_used_at = greatest(k.last_used_at, u.used_at)
        FROM usage u
        WHERE u.used = 'key' AND k.reaches_merchant_id = u.merchant_id AND k.id = u.id`
    } catch (error) {
      this.#logger.warn(
        { err: error, credentials: usages.length },
        'the last use of credentials could not be written',
      )
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }
}
