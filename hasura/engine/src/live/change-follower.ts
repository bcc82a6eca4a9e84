import { setInterval } from 'node:timers'
import { type ChangeFeed, type CommittedTransaction, CommitVisibility } from '@commerce-graph/change-feed'
import type pg from 'pg'
import type { Logger } from 'pino'
import type { StatementReads } from '../sql/statement-reads.ts'
import { schemaFingerprint } from './catalog-facts.ts'
import type { Partition } from './partition.ts'
import { SourceFinder, type StatementSources } from './statement-sources.ts'

/** Milliseconds for which a read waits for commits to become visible; then it reads, and reads again later. */
const visibilityPatienceMs = 50

/** Milliseconds between two looks for SQL of others that has changed views or functions. */
const schemaIntervalMs = 30_000

export interface ChangeFollowerOptions {
  readonly feed: ChangeFeed
  readonly pool: pg.Pool
  readonly partition: Partition | undefined
  readonly logger: Logger
}

/** Called when what it reads may have changed. */
interface Reader {
  readonly wake: () => void
}

interface Entry {
  readonly reader: Reader
  readonly reads: StatementReads
  /** Whose rows alone its sessions see, in tables with row security. */
  readonly partition: string | undefined
  /** Undefined until they are found. */
  sources: StatementSources | undefined
  isFollowed: boolean
}

export interface Following {
  /** Whether the reader is woken after each change of what it reads. */
  readonly isFollowed: () => boolean
  readonly end: () => void
}

/** The key of readers that see, or may see, the rows of all partitions. */
const everyPartition = ''

/** Wakes those whose tables have changed, or may have. */
export class ChangeFollower {
  readonly #options: ChangeFollowerOptions
  readonly #finder: SourceFinder
  readonly #visibility: CommitVisibility
  readonly #entries = new Set<Entry>()
  /** By table and partition. */
  readonly #readers = new Map<number, Map<string, Set<Entry>>>()
  readonly #stopListening: () => void
  readonly #watch: NodeJS.Timeout
  #fingerprint: string | undefined
  /** Answers may be kept that depend on what views and functions are now. */
  #isAsked = false

  constructor(options: ChangeFollowerOptions) {
    const { feed, pool, partition } = options
    this.#options = options
    this.#finder = new SourceFinder(
      async (text, values) => (await pool.query<Record<string, unknown>>(text, [...values])).rows,
      partition,
    )
    this.#visibility = new CommitVisibility(async () => {
      const { rows } = await pool.query<{ snapshot: string }>(
        'SELECT pg_current_snapshot()::text AS snapshot',
      )
      return rows[0]?.snapshot ?? ''
    })
    this.#stopListening = feed.listen({
      committed: (transaction) => this.#committed(transaction),
      changed: (_, isNewSlot) => {
        if (isNewSlot) this.#visibility.forget()
        this.lookAnew()
      },
    })
    this.#watch = setInterval(() => void this.#lookAtSchema(), schemaIntervalMs)
    this.#watch.unref()
  }

  follow(reader: Reader, reads: StatementReads, partition: string | undefined): Following {
    const entry: Entry = { reader, reads, partition, sources: undefined, isFollowed: false }
    this.#entries.add(entry)
    this.#find(entry)
    return {
      isFollowed: () => entry.isFollowed,
      end: () => {
        this.#entries.delete(entry)
        this.#unlist(entry)
      },
    }
  }

  /** The tables that a statement reads. Rejects when the database doesn't answer. */
  sourcesOf(reads: StatementReads): Promise<StatementSources> {
    this.#isAsked = true
    return this.#finder.find(reads)
  }

  /** Waits for commits that were told to be visible. */
  readonly settle = (): Promise<boolean> => this.#visibility.settle(visibilityPatienceMs)

  /** Finds the tables of all statements again, since views, functions or what is published may be others. */
  lookAnew(): void {
    this.#finder.forget()
    this.#fingerprint = undefined
    for (const entry of this.#entries) {
      this.#unlist(entry)
      entry.reader.wake()
      this.#find(entry)
    }
  }

  close(): void {
    clearInterval(this.#watch)
    this.#stopListening()
  }

  #committed({ xid, changes }: CommittedTransaction): void {
    this.#visibility.note(xid)
    for (const [table, whose] of changes) {
      const readers = this.#readers.get(table)
      if (readers === undefined) continue
      const woken =
        whose === 'all'
          ? [...readers.values()]
          : [everyPartition, ...whose].flatMap((partition) => readers.get(partition) ?? [])
      for (const entries of woken) for (const { reader } of entries) reader.wake()
    }
  }

  #find(entry: Entry): void {
    const state = this.#options.feed.state()
    // Without a feed there is nothing to gain.
    if (state.kind === 'absent') return
    this.#finder
      .find(entry.reads)
      .then((sources) => {
        if (!this.#entries.has(entry) || this.#options.feed.state() !== state) return
        this.#list(entry, sources)
        entry.isFollowed =
          sources.otherwise === undefined &&
          [...sources.tables.keys()].every((table) => state.tables.has(table))
        // What changed before the entry was listed has woken nobody.
        entry.reader.wake()
      })
      .catch((error: unknown) =>
        this.#options.logger.warn({ err: error }, 'what a live query reads could not be found'),
      )
  }

  #list(entry: Entry, sources: StatementSources): void {
    this.#unlist(entry)
    entry.sources = sources
    for (const [table, isOwn] of sources.tables) {
      const readers = this.#readers.get(table) ?? new Map<string, Set<Entry>>()
      this.#readers.set(table, readers)
      const key = partitionKey(entry, isOwn)
      const entries = readers.get(key) ?? new Set()
      readers.set(key, entries)
      entries.add(entry)
    }
  }

  #unlist(entry: Entry): void {
    for (const [table, isOwn] of entry.sources?.tables ?? []) {
      const readers = this.#readers.get(table)
      const key = partitionKey(entry, isOwn)
      const entries = readers?.get(key)
      entries?.delete(entry)
      if (entries?.size === 0) readers?.delete(key)
      if (readers?.size === 0) this.#readers.delete(table)
    }
    entry.sources = undefined
    entry.isFollowed = false
  }

  async #lookAtSchema(): Promise<void> {
    const { feed, pool, logger } = this.#options
    const isNeeded = this.#isAsked || this.#entries.size > 0
    if (!isNeeded || feed.state().kind === 'absent') return
    for (const entry of this.#entries) if (entry.sources === undefined) this.#find(entry)
    try {
      const { rows } = await pool.query<{ fingerprint: string }>(schemaFingerprint)
      const fingerprint = rows[0]?.fingerprint
      if (this.#fingerprint !== undefined && fingerprint !== this.#fingerprint)
        feed.renew('views, functions or what is published have changed')
      this.#fingerprint = fingerprint
    } catch (error) {
      logger.warn({ err: error }, 'could not look whether the schema has changed')
    }
  }
}

const partitionKey = ({ partition }: Entry, isOwn: boolean): string =>
  isOwn && partition !== undefined ? partition : everyPartition
