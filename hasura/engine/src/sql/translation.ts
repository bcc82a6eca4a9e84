/** What a translation from the tree to SQL carries along. */
export interface Translation {
  readonly aliases: Aliases
  /** Numbers that JSON may not carry exactly are answered as strings. */
  readonly stringifyNumbers: boolean
}

/** Names `t0`, `t1`, … in the order of the tree, so that the same tree gives the same text. */
export class Aliases {
  #count = 0

  next(): string {
    this.#count += 1
    return `t${this.#count - 1}`
  }
}
