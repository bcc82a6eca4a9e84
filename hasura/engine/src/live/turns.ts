/** Lets at most so many pieces of work run at once; others wait in the order in which they came. */
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

  /** Resolves when what runs now is over, however it ends. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#running)
  }
}
