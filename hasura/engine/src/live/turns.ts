/** Runs at most `count` pieces of work at once; others wait in the order of their arrival. */
export class Turns {
  #free: number
  readonly #waiting: (() => void)[] = []
  readonly #running = new Set<Promise<unknown>>()

  constructor(count: number) {
    this.#free = count
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    const running = work()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
      const next = this.#waiting.shift()
      if (next === undefined) this.#free += 1
      else next()
    }
  }

  /** Resolves when all running work is over, successful or not. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
