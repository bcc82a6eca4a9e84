/** How long a run works: from its first batch, because the rows before that are read again in each turn. */
export class Turn {
  readonly #milliseconds: number
  readonly #stopping: AbortSignal | undefined
  #end = Number.POSITIVE_INFINITY

  constructor(milliseconds: number, stopping: AbortSignal | undefined) {
    this.#milliseconds = milliseconds
    this.#stopping = stopping
  }

  /** A batch is at hand. */
  begin(): void {
    this.#end = Math.min(this.#end, performance.now() + this.#milliseconds)
  }

  get isOver(): boolean {
    return this.#stopping?.aborted === true || performance.now() >= this.#end
  }
}
