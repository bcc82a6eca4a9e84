import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Sql } from '@commerce-graph/postgres-driver'
import type { Attempt, Outcome, RefusedAccess } from './entry.ts'
import { type CountedRefusal, RefusalCounter } from './refusal-counter.ts'

const flushIntervalMs = 500
// Waiting to be written while the database is away. What is begun fails then, so little comes to wait.
const maxWaiting = 10_000
const batchSize = 1_000

/** What `audit.append` takes. */
type Row = Readonly<Record<string, string | number | readonly string[] | null>>

/**
 * Writes to the merchants' audit logs what the database doesn't record by itself (migrations, schema `audit`; docs/audit.md). What
 * changed nothing is written in batches, within half a second or so.
 */
export class AuditTrail {
  readonly #sql: Sql
  readonly #logger: Logger
  readonly #timer: NodeJS.Timeout
  readonly #refusals = new RefusalCounter()
  #waiting: Row[] = []
  #flushing: Promise<void> = Promise.resolve()

  constructor(sql: Sql, logger: Logger) {
    this.#sql = sql
    this.#logger = logger
    this.#timer = setInterval(() => void this.flush(), flushIntervalMs).unref()
  }

  /**
   * Writes down that something is about to be done; to be called, and waited for, before it is. Throws when it can't be written:
   * then it must not be done.
   *
   * @returns the entry's id, for `ended`
   */
  async begin(attempt: Attempt, targetIds: readonly string[]): Promise<string> {
    const id = randomUUID()
    const row = { ...rowOf(attempt), id, outcome: 'STARTED', target_ids: targetIds }
    await this.#append([row])
    return id
  }

  /** Writes down how it ended what was begun. */
  ended(attempt: Attempt, id: string, outcome: Outcome): void {
    this.#wait({ ...rowOf(attempt), ...outcomeOf(outcome), attempt_id: id })
  }

  /** Writes down a mutation that changed nothing. */
  record(attempt: Attempt, outcome: Outcome): void {
    this.#wait({ ...rowOf(attempt), ...outcomeOf(outcome) })
  }

  /** Counts a refused access; the same one again within a minute becomes one entry more, not many. */
  refused(refusal: RefusedAccess): void {
    this.#refusals.count(refusal, Date.now())
  }

  /** Writes what waits. Never throws: what can't be written now waits on. */
  flush({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#flushNow(all))
    return this.#flushing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush({ all: true })
  }

  async #flushNow(all: boolean): Promise<void> {
    for (const counted of this.#refusals.take(Date.now(), { all })) this.#tell(counted)
    const dropped = this.#refusals.takeDropped()
    if (dropped > 0) this.#logger.warn({ dropped }, 'more kinds of refused access than are counted apart')
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, batchSize)
      try {
        await this.#append(batch)
      } catch (error) {
        this.#logger.error(
          { err: error, entries: this.#waiting.length },
          'the audit log could not be written',
        )
        return
      }
      this.#waiting = this.#waiting.slice(batch.length)
    }
  }

  #tell({ refusal: { actor, code, operation, ...origin }, occurrences }: CountedRefusal): void {
    if (actor === null) {
      this.#logger.warn({ id: code, operation, ...origin, occurrences }, 'access refused to somebody unknown')
      return
    }
    const attempt = { ...actor, ...origin, operation, operationName: null }
    this.#wait({
      ...rowOf(attempt),
      ...outcomeOf({ outcome: 'REFUSED', codes: [code], targetIds: [] }),
      occurrences,
    })
  }

  #wait(row: Row): void {
    if (this.#waiting.length < maxWaiting) this.#waiting.push(row)
    else this.#logger.error({ entry: row }, 'the audit log could not be written')
  }

  async #append(rows: readonly Row[]): Promise<void> {
    await this.#sql`SELECT audit.append(${this.#sql.json(rows)})`
  }
}

type Undetermined = Omit<Attempt, 'operation'> & { readonly operation: string | null }

const rowOf = (attempt: Undetermined): Row => ({
  merchant_id: attempt.merchantId,
  actor_kind: attempt.kind,
  actor_id: attempt.id,
  client_address: attempt.clientAddress,
  request_id: attempt.requestId,
  source: attempt.source,
  operation_name: attempt.operationName,
  operation: attempt.operation,
})

const outcomeOf = ({ outcome, codes, targetIds }: Outcome): Row => ({
  outcome,
  codes: [...new Set(codes)],
  target_ids: targetIds,
})
