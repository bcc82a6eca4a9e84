import { LRUCache } from 'lru-cache'

/** Knows whether an answer is still right. */
export interface Validity {
  /** Whether a new read would give the same answer at some moment between the call and its result. */
  readonly isCurrent: () => Promise<boolean>
}

export interface Answered<Value> {
  readonly value: Value
  /** Undefined: the answer can't be kept. */
  readonly validity: Validity | undefined
}

interface KeptAnswer<Value> extends Answered<Value> {
  readonly validity: Validity
}

export interface AnswerCacheOptions<Value> {
  /** Of the keys and the answers, by estimate. */
  readonly maxBytes: number
  /** Bytes of an answer. */
  readonly sizeOf: (value: Value) => number
}

/** How requests were answered since the start. */
export interface AnswerCounts {
  /** By a kept answer. */
  readonly hits: number
  /** By another request's read. */
  readonly shared: number
  /** By a read of their own. */
  readonly reads: number
}

/** What the cache itself needs for an answer, in bytes. */
const bytesOfAnEntry = 500

/** Of the whole, an answer may take this part at most: a few large ones must not displace all others. */
const largestPart = 8

/**
 * Milliseconds after which an answer is read again in any case: a view or a function that SQL of others changes is noticed within
 * this time.
 */
const longestKeptMs = 30_000

/**
 * Keys that were asked for once, and milliseconds for which that is remembered. To learn how long an answer is right costs a fifth
 * of its read, and most of the different requests of an admin are never repeated.
 */
const mostAsked = 100_000
const askedMs = 60_000

/** Keys whose answers can't be shared, and milliseconds for which that is remembered. */
const mostUnshared = 10_000
const unsharedMs = 10_000

/**
 * Keeps answers that are asked for more than once, and gives each only while it is what a new read would give. Requests for the
 * same answer that come at once share a read, where its answer is found to be current for each of them; otherwise each reads by itself.
 */
export class AnswerCache<Value> {
  readonly #kept: LRUCache<string, KeptAnswer<Value>>
  readonly #underWay = new Map<string, Promise<Answered<Value>>>()
  readonly #asked = new LRUCache<string, true>({ max: mostAsked, ttl: askedMs })
  /** Requests don't wait for a read whose answer they can't take. */
  readonly #unshared = new LRUCache<string, true>({ max: mostUnshared, ttl: unsharedMs })
  #hits = 0
  #shared = 0
  #reads = 0

  constructor({ maxBytes, sizeOf }: AnswerCacheOptions<Value>) {
    this.#kept = new LRUCache({
      maxSize: maxBytes,
      ttl: longestKeptMs,
      maxEntrySize: Math.ceil(maxBytes / largestPart),
      sizeCalculation: ({ value }, key) => sizeOf(value) + 2 * key.length + bytesOfAnEntry,
    })
  }

  get counts(): AnswerCounts {
    return { hits: this.#hits, shared: this.#shared, reads: this.#reads }
  }

  get bytes(): number {
    return this.#kept.calculatedSize
  }

  /**
   * Rejects when the request's own read does.
   *
   * @param key of all that the answer depends on besides the data
   * @param read is told whether the validity is of use
   */
  async answer(key: string, read: (wantsValidity: boolean) => Promise<Answered<Value>>): Promise<Value> {
    const kept = this.#kept.get(key)
    if (kept !== undefined) {
      if (await kept.validity.isCurrent()) {
        this.#hits += 1
        return kept.value
      }
      if (this.#kept.peek(key) === kept) this.#kept.delete(key)
    } else if (!this.#asked.has(key)) {
      this.#asked.set(key, true)
      this.#reads += 1
      return (await read(false)).value
    }
    const other = this.#unshared.has(key) ? undefined : this.#underWay.get(key)
    const shared = await other?.catch(() => undefined)
    if (shared?.validity !== undefined && (await shared.validity.isCurrent())) {
      this.#shared += 1
      return shared.value
    }
    return this.#read(key, () => read(true))
  }

  async #read(key: string, read: () => Promise<Answered<Value>>): Promise<Value> {
    this.#reads += 1
    const reading = read()
    const isFirst = !this.#underWay.has(key)
    if (isFirst) this.#underWay.set(key, reading)
    try {
      const { value, validity } = await reading
      if (validity === undefined) this.#unshared.set(key, true)
      else {
        this.#unshared.delete(key)
        this.#kept.set(key, { value, validity })
      }
      return value
    } finally {
      if (isFirst) this.#underWay.delete(key)
    }
  }
}
