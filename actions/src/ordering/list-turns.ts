/**
 * Says when a list of orders may begin, of all merchants. Lists that are placed at once share the server's processors, and a
 * session that takes over from another one begins with none of its data at hand: few that go on are faster in sum than many that
 * take turns.
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
