/**
 * A cache that forgets what has not been used for longest once its entries weigh too much together. What
 * would take a large part of it alone is not kept at all.
 */
export class LruCache<Key, Value> {
  readonly #entries = new Map<Key, { readonly value: Value; readonly weight: number }>()
  readonly #capacity: number
  #weight = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get(key: Key): Value | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // A Map keeps the order of insertion, so the one used last is the last one.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: Key, value: Value, weight: number): void {
    if (weight > this.#capacity / 16) return
    this.#remove(key)
    this.#entries.set(key, { value, weight })
    this.#weight += weight
    while (this.#weight > this.#capacity) {
      const oldest = this.#entries.keys().next()
      if (oldest.done === true) return
      this.#remove(oldest.value)
    }
  }

  /** What all entries weigh together. */
  get weight(): number {
    return this.#weight
  }

  #remove(key: Key): void {
    this.#weight -= this.#entries.get(key)?.weight ?? 0
    this.#entries.delete(key)
  }
}
