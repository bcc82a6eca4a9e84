import { hash } from 'node:crypto'
import { setTimeout } from 'node:timers'
import { DatabaseError } from 'pg'
import type { Logger } from 'pino'
import type { PreparedSubscription } from '../execute/prepare-subscription.ts'
import { postgresError } from '../execute/postgres-error.ts'
import type { ResultRow } from '../execute/statement-query.ts'
import type { GraphQLResult } from '../graphql-request.ts'
import { batchParameters, chunks } from './batch.ts'
import type { Subscription } from './subscriber.ts'

export interface Refetch {
  /** Milliseconds from the start of one poll to the next. */
  readonly intervalMs: number
  /** The most members that one statement answers. */
  readonly batchSize: number
}

export interface PollerOptions extends Refetch {
  readonly run: (values: readonly (string | null)[]) => Promise<readonly ResultRow[]>
  /** Called before each poll and before its answer is delivered. Members of an outdated snapshot leave here. */
  readonly refresh: () => void
  readonly logger: Logger
}

/** A poller's statement, and its numbers of subscribers. */
export interface PollerState {
  readonly kind: PreparedSubscription['kind']
  readonly sql: string
  readonly members: readonly { readonly values: ResultRow; readonly subscribers: number }[]
}

/**
 * Subscribers with the same values share a member and its answer. Each subscriber of a stream has a member of its own.
 */
interface Member {
  readonly key: string
  values: readonly (string | null)[]
  readonly cursorPositions: readonly number[]
  readonly subscriptions: Set<Subscription>
  /** Its values made the statement fail, so it runs alone and can't make other members fail again. */
  failed: boolean
}

/**
 * Polls the database for one operation and all its subscribers: one statement per interval and batch, none without
 * subscribers. Polls never overlap.
 */
export class Poller {
  readonly #kind: PreparedSubscription['kind']
  readonly #sql: string
  readonly #parameterCount: number
  readonly #options: PollerOptions
  readonly #members = new Map<string, Member>()
  /** Members without a first answer. They don't wait for the interval. */
  readonly #fresh = new Set<Member>()
  #timer: NodeJS.Timeout | undefined
  #polling = false
  #due = 0
  #streams = 0

  constructor({ kind, statement }: PreparedSubscription, options: PollerOptions) {
    this.#kind = kind
    this.#sql = statement.text
    this.#parameterCount = statement.parameters.length
    this.#options = options
  }

  get isIdle(): boolean {
    return this.#members.size === 0
  }

  get state(): PollerState {
    const members = [...this.#members.values()]
    return {
      kind: this.#kind,
      sql: this.#sql,
      members: members.map(({ values, subscriptions }) => ({ values, subscribers: subscriptions.size })),
    }
  }

  /** Adds a subscription. Returns how to leave, and the position of a stream's cursor. */
  join({ values, cursorPositions }: PreparedSubscription, subscription: Subscription): Membership {
    const key = this.#kind === 'live' ? JSON.stringify(values) : String((this.#streams += 1))
    const member: Member = this.#members.get(key) ?? {
      key,
      values,
      cursorPositions,
      subscriptions: new Set(),
      failed: false,
    }
    this.#members.set(key, member)
    member.subscriptions.add(subscription)
    this.#fresh.add(member)
    if (!this.#polling) this.#wake(0)
    return {
      leave: () => {
        member.subscriptions.delete(subscription)
        if (member.subscriptions.size > 0) return
        this.#members.delete(key)
        this.#fresh.delete(member)
        if (this.#members.size === 0) this.stop()
      },
      cursor: () => member.values[cursorPositions[0] ?? -1] ?? null,
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #wake(delayMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#poll(), delayMs)
  }

  async #poll(): Promise<void> {
    this.#polling = true
    const { intervalMs, logger, refresh } = this.#options
    const now = performance.now()
    try {
      refresh()
      const all = now >= this.#due
      if (all) this.#due = now + intervalMs
      const chosen = [...(all ? this.#members.values() : this.#fresh)]
      this.#fresh.clear()
      await this.#ask(chosen.filter((member) => this.#listens(member)))
    } catch (error) {
      // The database may be away for a moment. Subscribers keep their last answer, and the next poll tries again.
      logger.warn({ err: error }, 'a poll for subscriptions failed')
    } finally {
      this.#polling = false
      if (this.#members.size > 0)
        this.#wake(this.#fresh.size > 0 ? 0 : Math.max(0, this.#due - performance.now()))
    }
  }

  /** A stream's rows are sent once, so they are read only when a subscriber can take them. */
  #listens({ subscriptions }: Member): boolean {
    return this.#kind === 'live' || [...subscriptions].every(({ subscriber }) => subscriber.isReady())
  }

  async #ask(members: readonly Member[]): Promise<void> {
    const { batchSize } = this.#options
    const [failed, sound] = [members.filter((member) => member.failed), members.filter(({ failed: f }) => !f)]
    for (const batch of [...chunks(sound, batchSize), ...chunks(failed, 1)]) await this.#askBatch(batch)
  }

  async #askBatch(batch: readonly Member[]): Promise<void> {
    if (batch.length === 0) return
    let rows: readonly ResultRow[]
    try {
      rows = await this.#options.run(batchParameters(this.#parameterCount, batch))
    } catch (error) {
      return this.#recover(batch, error)
    }
    // New metadata may hide rows that this statement still read.
    this.#options.refresh()
    for (const [index, json, cursor] of rows) {
      const member = batch[Number(index)]
      if (member === undefined || json == null) continue
      member.failed = false
      this.#answer(member, json, cursor ?? null)
    }
  }

  #answer(member: Member, json: string, cursor: string | null): void {
    const result: GraphQLResult = { kind: 'data', json }
    if (this.#kind === 'live') {
      deliver(member, result, json)
      return
    }
    // No row comes after the cursor, so there is nothing to send.
    if (cursor === null) return
    member.values = member.values.map((value, index) =>
      member.cursorPositions.includes(index) ? cursor : value,
    )
    for (const { subscriber } of member.subscriptions) subscriber.receive(result)
  }

  /**
   * When Postgres refuses a member's values, halving the batch finds that member. A broken connection, a lack of
   * resources or a cancellation doesn't depend on values, and is thrown.
   */
  async #recover(batch: readonly Member[], error: unknown): Promise<void> {
    const failure = postgresError(error, '$')
    if (!(error instanceof DatabaseError) || failure === undefined || isPassing(error.code)) throw error
    if (dependsOnValues(error.code) && batch.length > 1) {
      const half = Math.ceil(batch.length / 2)
      await this.#askBatch(batch.slice(0, half))
      await this.#askBatch(batch.slice(half))
      return
    }
    for (const member of batch) {
      member.failed = dependsOnValues(error.code)
      deliver(member, { kind: 'errors', stage: 'execution', errors: [failure] }, failure.message)
    }
  }
}

export interface Membership {
  readonly leave: () => void
  readonly cursor: () => string | null
}

/** Data exceptions, integrity violations and `RAISE`. */
const dependsOnValues = (sqlState: string | undefined): boolean => /^(22|23|P0)/.test(sqlState ?? '')

/** Connection, transaction, resources, operator's intervention, system. */
const isPassing = (sqlState: string | undefined): boolean => /^(08|25|40|53|55|57|58)/.test(sqlState ?? '')

function deliver(member: Member, result: GraphQLResult, content: string): void {
  const digest = hash('sha256', `${result.kind} ${content}`, 'base64')
  for (const subscription of member.subscriptions) {
    if (subscription.sent === digest || !subscription.subscriber.isReady()) continue
    subscription.sent = digest
    subscription.subscriber.receive(result)
  }
}
