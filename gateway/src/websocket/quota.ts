/** Counts what each principal holds at once, and lets none hold more than the bound. */
export class Quota {
  readonly #bound: number
  readonly #held = new Map<string, number>()

  constructor(bound: number) {
    this.#bound = bound
  }

  /** @returns false when the holder has as many as it may */
  take(holder: string): boolean {
    const held = this.#held.get(holder) ?? 0
    if (held >= this.#bound) return false
    this.#held.set(holder, held + 1)
    return true
  }

  release(holder: string): void {
    const held = this.#held.get(holder) ?? 0
    if (held > 1) this.#held.set(holder, held - 1)
    else this.#held.delete(holder)
  }
}
