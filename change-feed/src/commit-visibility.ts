import { setTimeout as sleep } from 'node:timers/promises'

/** With more commits to look for, Postgres is asked without being asked for. */
const mostPending = 1_000

/** While Postgres can't be asked, older ones count as visible. Of those that aren't, there is one for a session at most. */
const mostKept = 100_000

const longestPauseMs = 16

/**
 * Knows when commits that a feed has told are visible. Postgres writes a commit to the log, and so to the feed, a moment
 * before snapshots show it; with a synchronous standby, that moment lasts until the standby has answered.
 */
export class CommitVisibility {
  readonly #takeSnapshot: () => Promise<string>
  /** The places of commits in the order in which they were noted, by their transaction. */
  readonly #pending = new Map<number, number>()
  #noted = 0
  #looking: Promise<void> | undefined

  /** @param takeSnapshot returns `pg_current_snapshot()` of the primary */
  constructor(takeSnapshot: () => Promise<string>) {
    this.#takeSnapshot = takeSnapshot
  }

  /** To be called with each transaction that the feed tells. Returns its place among all that were noted, from 1 on. */
  note(xid: number): number {
    this.#noted += 1
    this.#pending.delete(xid)
    this.#pending.set(xid, this.#noted)
    const [oldest] = this.#pending.keys()
    if (oldest !== undefined && this.#pending.size > mostKept) this.#pending.delete(oldest)
    if (this.#pending.size % mostPending === 0) this.lookSoon()
    return this.#noted
  }

  /** All commits up to this place are visible, as far as is known. */
  get visibleUpTo(): number {
    const [first] = this.#pending.values()
    return first === undefined ? this.#noted : first - 1
  }

  /** Finds out what is visible now, unless nothing waits for that. */
  lookSoon(): void {
    if (this.#pending.size > 0) this.#look().catch(() => undefined)
  }

  /** @param snapshot `pg_current_snapshot()` of the primary, taken for another purpose */
  saw(snapshot: string): void {
    if (this.#pending.size === 0) return
    const isVisible = visibleIn(snapshot)
    for (const xid of this.#pending.keys()) if (isVisible(xid)) this.#pending.delete(xid)
  }

  /** From now on, nothing is known of commits that were noted. */
  forget(): void {
    this.#pending.clear()
  }

  /**
   * Waits until snapshots show all commits that were noted before. False when that takes longer. Rejects when Postgres does
   * not answer.
   */
  async settle(patienceMs: number): Promise<boolean> {
    const noted = [...this.#pending.keys()]
    const deadline = performance.now() + patienceMs
    for (let pauseMs = 1; noted.some((xid) => this.#pending.has(xid)); pauseMs *= 2) {
      await this.#look()
      if (!noted.some((xid) => this.#pending.has(xid))) break
      if (performance.now() > deadline) return false
      await sleep(Math.min(pauseMs, longestPauseMs))
    }
    return true
  }

  #look(): Promise<void> {
    this.#looking ??= this.#takeSnapshot()
      .then((snapshot) => this.saw(snapshot))
      .finally(() => (this.#looking = undefined))
    return this.#looking
  }
}

/**
 * @param snapshot `xmin:xmax:running,…`, whose numbers have 64 bits, while the log's have the lower 32 of them
 */
function visibleIn(snapshot: string): (xid: number) => boolean {
  const [, xmax = '0', running = ''] = snapshot.split(':')
  const end = low(xmax)
  const hidden = new Set(running === '' ? [] : running.split(',').map(low))
  // Numbers go in a circle; those in the half before the end are older.
  return (xid) => (xid - end) >>> 0 >= 2 ** 31 && !hidden.has(xid)
}

const low = (xid: string): number => Number(BigInt(xid) & 0xffff_ffffn)
