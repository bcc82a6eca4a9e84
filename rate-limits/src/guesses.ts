import { networkOf } from '@commerce-graph/http-server'
import type { Counter } from './counters.ts'

/** Where a secret is tried. */
export interface Guesser {
  readonly merchantId: string
  /** The address of the client that tries; undefined where it isn't known, and then nothing is counted. */
  readonly client: string | undefined
}

export type Attempt =
  | {
      readonly kind: 'go'
      /** Takes the attempt back: it was no wrong guess. */
      readonly takeBack: () => void
    }
  /** Nothing is compared: the client has guessed too often. */
  | { readonly kind: 'wait'; readonly seconds: number }

/**
 * Counts wrong guesses by the one who makes them. An attempt counts before anything is compared, and is taken back when it was
 * right, so that guesses sent at once, or to several processes, count as many.
 */
export class HolderGuesses {
  readonly #counter: Counter
  readonly #bound: number

  /** @param bound wrong guesses of a holder in a window of the counter */
  constructor(counter: Counter, bound: number) {
    this.#counter = counter
    this.#bound = bound
  }

  async begin(holder: string): Promise<Attempt> {
    const { counted, secondsLeft } = await this.#counter.count(holder)
    const takeBack = (): void => {
      this.#counter.takeBack(holder)
    }
    if (counted <= this.#bound) return { kind: 'go', takeBack }
    takeBack()
    return { kind: 'wait', seconds: secondsLeft }
  }
}

/** Wrong passwords and codes by merchant and client, over all accounts. Merchants are counted apart. */
export class Guesses {
  readonly #holders: HolderGuesses

  constructor(counter: Counter, bound: number) {
    this.#holders = new HolderGuesses(counter, bound)
  }

  async begin({ merchantId, client }: Guesser): Promise<Attempt> {
    const network = networkOf(client)
    if (network === undefined) return { kind: 'go', takeBack: () => undefined }
    return this.#holders.begin(`${merchantId} ${network}`)
  }
}
