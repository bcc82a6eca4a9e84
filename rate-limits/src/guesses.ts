import { networkOf } from '@commerce-graph/http-server'
import type { Counter } from './counters.ts'

/** The client that tries a secret, and the merchant at which it tries. */
export interface Guesser {
  readonly merchantId: string
  /** The client's address. When it is undefined, nothing is counted. */
  readonly client: string | undefined
}

export type Attempt =
  | {
      readonly kind: 'go'
      /** Subtracts the attempt from the count: it was no wrong guess. */
      readonly takeBack: () => void
    }
  /** The client has guessed wrong too often: the caller must not compare the secret. */
  | { readonly kind: 'wait'; readonly seconds: number }

/**
 * Counts the wrong guesses of each holder. An attempt is counted before the comparison and taken back when it was
 * right, so simultaneous guesses, in several processes too, are all counted.
 */
export class HolderGuesses {
  readonly #counter: Counter
  readonly #bound: number

  /** @param bound how many wrong guesses a holder has in one window of the counter */
  constructor(counter: Counter, bound: number) {
    this.#counter = counter
    this.#bound = bound
  }

  /** @param holders each of them is counted, and one that has guessed too often makes the caller wait */
  async begin(holders: readonly string[]): Promise<Attempt> {
    const counts = await Promise.all(holders.map((holder) => this.#counter.count(holder)))
    const takeBack = (): void => {
      for (const holder of holders) this.#counter.takeBack(holder)
    }
    const exceeded = counts.filter(({ counted }) => counted > this.#bound)
    if (exceeded.length === 0) return { kind: 'go', takeBack }
    takeBack()
    return { kind: 'wait', seconds: Math.max(...exceeded.map(({ secondsLeft }) => secondsLeft)) }
  }
}

/** Counts wrong passwords and codes by merchant and client, over all accounts. */
export class Guesses {
  readonly #holders: HolderGuesses

  constructor(counter: Counter, bound: number) {
    this.#holders = new HolderGuesses(counter, bound)
  }

  async begin({ merchantId, client }: Guesser): Promise<Attempt> {
    const network = networkOf(client)
    if (network === undefined) return { kind: 'go', takeBack: () => undefined }
    return this.#holders.begin([`${merchantId} ${network}`])
  }
}
