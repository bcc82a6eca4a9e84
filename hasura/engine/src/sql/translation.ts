/** The state of a translation from a plan to SQL. */
export interface Translation {
  readonly aliases: Aliases
  /** Whether numbers that JSON may not represent exactly are answered as strings. */
  readonly stringifyNumbers: boolean
}

/** Names `t0`, `t1`, … in the order of the plan, so that the same plan gives the same text. */
export class Aliases {
  #count = 0

  next(): string {
    this.#count += 1
    return `t${this.#count - 1}`
  }
}
