/** Items of one statement, at most. */
const mostItems = 1_000

/** Where the caller of an item waits. */
interface Waiting<Item> {
  readonly item: Item
  readonly done: PromiseWithResolvers<unknown>
}

/**
 * One statement at a time, for all who need one: what is added while it runs goes into the next one together. So many
 * callers at once cost as many round trips as one after the other would take, and a caller alone waits for nobody.
 */
export class SharedStatement<Item = undefined> {
  readonly #run: (items: readonly Item[]) => Promise<unknown>
  #waiting: Waiting<Item>[] = []
  #isRunning = false

  /** @param run the statement, for at most 1,000 items */
  constructor(run: (items: readonly Item[]) => Promise<unknown>) {
    this.#run = run
  }

  /** Resolves when a statement with the item, which began after this call, has ended. Rejects as the statement does. */
  async for(item: Item): Promise<void> {
    const done = Promise.withResolvers<unknown>()
    this.#waiting.push({ item, done })
    if (!this.#isRunning) void this.#runAll()
    await done.promise
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, mostItems)
      this.#waiting = this.#waiting.slice(batch.length)
      try {
        await this.#run(batch.map(({ item }) => item))
        for (const { done } of batch) done.resolve(undefined)
      } catch (error) {
        for (const { done } of batch) done.reject(error)
      }
    }
    this.#isRunning = false
  }
}
