import { LRUCache } from 'lru-cache'
import { type AccessScope, type Grant, scopeOf, type Verification } from './access.ts'
import type { Refusal } from './authentication.ts'

const maxGrants = 20_000
// Changes are announced, so this only bounds what an announcement that never came could do.
const grantTtlMs = 60_000
const maxRefusals = 10_000
// Long enough that a client in a loop doesn't reach the database each time, short enough to go unnoticed.
const refusalTtlMs = 2_000

/**
 * What was found out about credentials, by SHA-256 of the credential. Refusals live apart from grants: a client
 * that guesses can push out other guesses and nothing else.
 *
 * A verification that was begun before a change was announced, and ends after it, may have read the old rows. So
 * a verification takes the `epoch` first, and `remember` drops what belongs to an earlier one.
 */
export class AccessCache {
  readonly #grants = new LRUCache<string, Grant>({ max: maxGrants, ttl: grantTtlMs })
  readonly #refusals = new LRUCache<string, Refusal>({ max: maxRefusals, ttl: refusalTtlMs })
  #epoch = 0

  get epoch(): number {
    return this.#epoch
  }

  find(hash: string): Verification | undefined {
    return this.#grants.get(hash) ?? this.#refusals.get(hash)
  }

  remember(hash: string, verification: Verification, epoch: number): void {
    if (epoch !== this.#epoch) return
    if (verification.kind === 'granted') this.#grants.set(hash, verification)
    else this.#refusals.set(hash, verification)
  }

  /** A refused credential doesn't say whose it would be: all refusals are forgotten with any change. */
  forget(scope: AccessScope): void {
    this.#epoch += 1
    this.#refusals.clear()
    for (const [hash, grant] of this.#grants.entries()) {
      if (scopeOf(grant.principal) === scope) this.#grants.delete(hash)
    }
  }

  clear(): void {
    this.#epoch += 1
    this.#refusals.clear()
    this.#grants.clear()
  }
}
