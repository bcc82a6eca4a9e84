import { hash } from 'node:crypto'
import { setTimeout } from 'node:timers'
import { DatabaseError } from 'pg'
import type { Logger } from 'pino'
import type { PreparedSubscription } from '../execute/prepare-subscription.ts'
import { postgresError } from '../execute/postgres-error.ts'
import type { ResultRow } from '../execute/statement-query.ts'
import type { GraphQLResult } from '../graphql-request.ts'
import { batchParameters, chunks } from './batch.ts'
import { dependsOnTime } from './statement-sources.ts'
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
  /** Whether `wake` is called after each change of an answer, so that no interval is needed. */
  readonly isFollowed: () => boolean
  /** Waits for commits that were told to be visible; false: some are not yet. */
  readonly settle: () => Promise<boolean>
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
  /** Its values have another meaning later, such as `today`. */
  readonly changesByItself: boolean
}

/** A poller that is woken again and again pauses for this many times as long as it has taken. */
const pauseFactor = 4

/**
 * Asks the database for one operation and all its subscribers, one statement per batch: when it is woken, if changes are
 * followed, and otherwise each interval; never without subscribers. Polls never overlap.
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
  /** When all members are asked again; never, where changes are followed. */
  #due = 0
  /** A change has been told since the last poll of all members began. */
  #stale = false
  /** Before this moment, changes don't lead to another poll. */
  #notBefore = 0
  /** A stream may have more rows, or a subscriber has not taken its answer. */
  #hasMore = false
  #isWaitedFor = false
  #changingByThemselves = 0
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
      changesByItself: values.some(dependsOnTime),
    }
    if (!this.#members.has(key) && member.changesByItself) this.#changingByThemselves += 1
    this.#members.set(key, member)
    member.subscriptions.add(subscription)
    this.#fresh.add(member)
    if (!this.#polling) this.#wake(0)
    return {
      leave: () => {
        member.subscriptions.delete(subscription)
        if (member.subscriptions.size > 0) return
        if (this.#members.delete(key) && member.changesByItself) this.#changingByThemselves -= 1
        this.#fresh.delete(member)
        if (this.#members.size === 0) this.stop()
      },
      cursor: () => member.values[cursorPositions[0] ?? -1] ?? null,
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  /** To be called after a change of what the statement reads, and when the way in which changes are told changes. */
  wake(): void {
    this.#stale = true
    if (!this.#polling && this.#members.size > 0) this.#wake(this.#restMs())
  }

  #restMs(): number {
    return Math.max(0, this.#notBefore - performance.now())
  }

  #wake(delayMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#poll(), delayMs)
  }

  async #poll(): Promise<void> {
    this.#polling = true
    const { intervalMs, logger, refresh, settle, isFollowed } = this.#options
    const begun = performance.now()
    try {
      refresh()
      const all = this.#stale || begun >= this.#due
      if (all) {
        this.#stale = false
        this.#hasMore = false
        this.#isWaitedFor = false
        this.#due = begun + intervalMs
      }
      const chosen = [...(all ? this.#members.values() : this.#fresh)]
      this.#fresh.clear()
      if (!(await settle())) this.#stale = true
      const listening = chosen.filter((member) => this.#listens(member))
      if (listening.length < chosen.length) this.#isWaitedFor = true
      await this.#ask(listening)
      const followed = isFollowed()
      if (!followed || this.#isWaitedFor || this.#changingByThemselves > 0)
        this.#due = Math.min(this.#due, begun + intervalMs)
      else if (all) this.#due = Infinity
      if (this.#hasMore && followed) this.#stale = true
    } catch (error) {
      // The database may be away for a moment. Subscribers keep their last answer, and the next poll tries again.
      logger.warn({ err: error }, 'a poll for subscriptions failed')
      this.#due = begun + intervalMs
    } finally {
      this.#polling = false
      const now = performance.now()
      this.#notBefore = now + Math.min(intervalMs, pauseFactor * (now - begun))
      this.#schedule(now)
    }
  }

  #schedule(now: number): void {
    if (this.#members.size === 0) return
    const delayMs = Math.min(
      this.#fresh.size > 0 ? 0 : Infinity,
      this.#stale ? this.#restMs() : Infinity,
      Math.max(0, this.#due - now),
    )
    if (delayMs !== Infinity) this.#wake(delayMs)
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
      this.#deliver(member, result, json)
      return
    }
    // No row comes after the cursor, so there is nothing to send.
    if (cursor === null) return
    this.#hasMore = true
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
      this.#deliver(member, { kind: 'errors', stage: 'execution', errors: [failure] }, failure.message)
    }
  }

  #deliver(member: Member, result: GraphQLResult, content: string): void {
    const digest = hash('sha256', `${result.kind} ${content}`, 'base64')
    for (const subscription of member.subscriptions) {
      if (subscription.sent === digest) continue
      if (!subscription.subscriber.isReady()) {
        this.#isWaitedFor = true
        continue
      }
      subscription.sent = digest
      subscription.subscriber.receive(result)
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
