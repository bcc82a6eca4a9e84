import { hash, verify } from '@node-rs/argon2'

/** As OWASP advises for Argon2id: 19 MiB, two passes, one lane. */
const parameters = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const
/** Each takes 19 MiB and a thread of the pool for some 30 ms; more at once only wait. */
const maxAtOnce = 4
const maxWaiting = 200

/** A PHC string, which holds parameters and salt. */
export const hashPassword = (password: string): Promise<string> => hash(password, parameters)

/** A bounded queue in front of the hash: a flood of sign-ins costs neither memory nor everybody else's threads. */
export class Passwords {
  #running = 0
  readonly #waiting: (() => void)[] = []
  #decoy: Promise<string> | undefined

  /** Whether another one may wait; who finds no room is asked to come back. */
  get hasRoom(): boolean {
    return this.#waiting.length < maxWaiting
  }

  /** A PHC string, which holds parameters and salt. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hashPassword(password))
  }

  /** @param stored null for an unknown account: takes as long, so that the time does not tell which accounts exist */
  async verify(stored: string | null, password: string): Promise<boolean> {
    this.#decoy ??= hash('the password of no account', parameters)
    const compared = stored ?? (await this.#decoy)
    const matches = await this.#inTurn(() => verify(compared, password))
    return stored !== null && matches
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < maxAtOnce) this.#running += 1
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // The next one waiting takes over the place.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }
}
