import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import type { Sql } from '@commerce-graph/postgres-driver'
import { SharedStatement } from '@commerce-graph/postgres-driver/shared-statement'
import type { Attempt, Outcome, RefusedAccess } from './entry.ts'
import { type CountedRefusal, RefusalCounter } from './refusal-counter.ts'

const flushIntervalMs = 500
// The maximum number of entries that wait while the database is unavailable. New actions fail then, so few entries
// are added.
const maxWaiting = 10_000
const batchSize = 1_000

/** An entry in the argument of `audit.append`. */
type Row = Readonly<Record<string, string | number | readonly string[] | null>>

/**
 * Writes the entries of the merchants' audit logs that the database's triggers don't write (schema `audit`;
 * docs/audit.md). Entries of requests that changed nothing are written in batches, within about half a second.
 */
export class AuditTrail {
  readonly #sql: Sql
  readonly #logger: Logger
  readonly #timer: NodeJS.Timeout
  readonly #refusals = new RefusalCounter()
  readonly #beginnings = new SharedStatement<Row>((rows) => this.#append(rows))
  #waiting: Row[] = []
  #flushing: Promise<void> = Promise.resolve()

  constructor(sql: Sql, logger: Logger) {
    this.#sql = sql
    this.#logger = logger
    this.#timer = setInterval(() => void this.flush(), flushIntervalMs).unref()
  }

  /**
   * Records that an action is about to run. The caller must wait for it, and must not run the action if it throws.
   *
   * @returns the entry's id, for `ended`
   */
  async begin(attempt: Attempt, targetIds: readonly string[]): Promise<string> {
    const id = randomUUID()
    const row = { ...entryOf(attempt), id, outcome: 'STARTED', target_ids: targetIds }
    await this.#beginnings.for(row)
    return id
  }

  /** Records the outcome of the action. */
  ended(attempt: Attempt, id: string, outcome: Outcome): void {
    this.#wait({ ...entryOf(attempt), ...outcomeOf(outcome), attempt_id: id })
  }

  /** Records a mutation that changed nothing. */
  record(attempt: Attempt, outcome: Outcome): void {
    this.#wait({ ...entryOf(attempt), ...outcomeOf(outcome) })
  }

  /** Counts a refused access; repetitions within a minute become one additional entry. */
  refused(refusal: RefusedAccess): void {
    this.#refusals.count(refusal, Date.now())
  }

  /** Writes the waiting entries. Never throws: entries that can't be written now keep waiting. */
  flush({ all = false }: { readonly all?: boolean } = {}): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#flushNow(all))
    return this.#flushing
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush({ all: true })
  }

  async #flushNow(all: boolean): Promise<void> {
    for (const counted of this.#refusals.take(Date.now(), { all })) this.#report(counted)
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

  #report({ refusal: { actor, code, operation, ...origin }, occurrences }: CountedRefusal): void {
    if (actor === null) {
      this.#logger.warn(
        { id: code, operation, ...origin, occurrences },
        'access refused to an unknown caller',
      )
      return
    }
    const attempt = { ...actor, ...origin, operation, operationName: null }
    this.#wait({
      ...entryOf(attempt),
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

/** The entry of an attempt as `audit.append` takes it, without its outcome. */
export const entryOf = (attempt: Undetermined): Row => ({
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
