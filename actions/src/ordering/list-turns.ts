/**
 * Decides when the next list of orders begins, over all merchants: a process places only so many at once. More sessions at once
 * are slower in sum where they share the processors (docs/decisions/0262).
 */
export class ListTurns {
  #free: number
  /** Each queue of orders asks for one turn at a time. */
  readonly #asking: (() => void)[] = []

  /** @param atOnce how many lists may be placed at once */
  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** Calls `begin` when its turn comes, in the order in which they were asked for. What has begun gives its turn back. */
  ask(begin: () => void): void {
    if (this.#free === 0) {
      this.#asking.push(begin)
      return
    }
    this.#free -= 1
    begin()
  }

  giveBack(): void {
    const next = this.#asking.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
