import { clearTimeout, setTimeout } from 'node:timers'
import { setImmediate } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { ChangeFeed } from './change-feed.ts'
import { ChangeHistory, type ReadRows } from './change-history.ts'
import { CommitVisibility } from './commit-visibility.ts'
import type { PositionClient } from './position-client.ts'

export interface CoherenceOptions {
  readonly feed: ChangeFeed
  readonly positions: Pick<PositionClient, 'ask'>
  readonly logger: Logger
}

/** The moment before a read. */
export interface ReadTicket {
  readonly epoch: number
  /** The read sees all commits up to this place. */
  readonly visibleUpTo: number
}

/** A read that is still known to be right, or known not to be. */
export interface Kept extends ReadTicket {
  readonly reads: ReadRows
}

/** Milliseconds that the feed has to tell what is in the database's log. */
const patienceMs = 20

/** Milliseconds that an answer waits in all to be found current; then the database is asked for it. */
const longestWaitMs = 100

/**
 * Says of answers that were read before whether the database would still give them. An answer is found current by a question
 * that begins after it was asked for: the database says how far its log goes, and the feed must have told everything up to
 * there. So an answer that is found current is what a read at that moment would have given, also to a caller that has just written,
 * by whichever process. Questions are shared by all who ask meanwhile, and none is asked unless an answer is to be served.
 *
 * A commit is told a moment before snapshots show it. Until it is known to be visible, what is read from its tables isn't kept.
 */
export class Coherence {
  readonly #feed: ChangeFeed
  readonly #positions: Pick<PositionClient, 'ask'>
  readonly #logger: Logger
  readonly #history = new ChangeHistory()
  readonly #visibility: CommitVisibility
  readonly #stopListening: () => void
  /** Answers of another epoch may be outdated: for some time, nothing was told. */
  #epoch = 0
  #asking: Promise<boolean> = Promise.resolve(false)
  #next: Promise<boolean> | undefined
  #trouble: string | undefined

  constructor({ feed, positions, logger }: CoherenceOptions) {
    this.#feed = feed
    this.#positions = positions
    this.#logger = logger
    this.#visibility = new CommitVisibility(async () => (await positions.ask()).snapshot)
    this.#stopListening = feed.listen({
      committed: ({ xid, changes }) => this.#history.note(changes, this.#visibility.note(xid)),
      changed: (_, isNewSlot) => {
        this.#epoch += 1
        if (isNewSlot) this.#visibility.forget()
      },
    })
  }

  /** To be called before a read. Undefined: its answer can't be kept, because changes aren't told now. */
  begin(): ReadTicket | undefined {
    if (this.#feed.state().kind === 'absent') return undefined
    this.#visibility.lookSoon()
    return { epoch: this.#epoch, visibleUpTo: this.#visibility.visibleUpTo }
  }

  /** To be called after the read. Undefined: what it has read has changed meanwhile, or may change without a word. */
  keep({ epoch, visibleUpTo }: ReadTicket, reads: ReadRows): Kept | undefined {
    const state = this.#feed.state()
    if (state.kind === 'absent') return undefined
    if (![...reads.keys()].every((table) => state.tables.has(table))) return undefined
    const kept = { epoch, visibleUpTo, reads }
    return this.#holds(kept) ? kept : undefined
  }

  /** Whether the database would give the same answer at some moment from now on until the promise resolves. */
  async isCurrent(kept: Kept): Promise<boolean> {
    return this.#holds(kept) && (await this.#confirmInTime()) && this.#holds(kept)
  }

  close(): void {
    this.#stopListening()
  }

  #holds({ epoch, visibleUpTo, reads }: Kept): boolean {
    return epoch === this.#epoch && this.#history.lastChange(reads) <= visibleUpTo
  }

  /** False as well when it isn't known in time: the database may be slow to say where it stands, or not answer at all. */
  async #confirmInTime(): Promise<boolean> {
    const late = Promise.withResolvers<boolean>()
    const timer = setTimeout(() => late.resolve(false), longestWaitMs)
    try {
      return await Promise.race([this.#confirm(), late.promise])
    } finally {
      clearTimeout(timer)
    }
  }

  /** Whether everything has been told that was committed before the call. A question that is under way began too early. */
  #confirm(): Promise<boolean> {
    this.#next ??= this.#asking.then(async () => {
      // Requests that have arrived already, and are taken off the line in this turn, share the question.
      await setImmediate()
      this.#next = undefined
      this.#asking = this.#ask()
      return this.#asking
    })
    return this.#next
  }

  async #ask(): Promise<boolean> {
    if (this.#feed.state().kind === 'absent') return false
    try {
      // Both questions go out at once. The feed's answer is mostly the one that is needed.
      this.#feed.ping()
      const { flushed, snapshot, isSynchronous } = await this.#positions.ask()
      this.#visibility.saw(snapshot)
      if (!isSynchronous) {
        this.#report('commits do not wait for the log (synchronous_commit is off)')
        return false
      }
      this.#trouble = undefined
      return await this.#feed.reach(flushed, patienceMs)
    } catch (error) {
      this.#report(error instanceof Error ? error.message : String(error))
      return false
    }
  }

  #report(reason: string): void {
    if (this.#trouble === reason) return
    this.#trouble = reason
    this.#logger.warn({ reason }, 'kept answers are not served; the database answers')
  }
}
