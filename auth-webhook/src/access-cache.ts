import { LRUCache } from 'lru-cache'
import { type AccessScope, type Grant, scopeOf, type Verification } from './access.ts'
import type { Refusal } from './authentication.ts'

const maxGrants = 20_000
// Changes are announced. This bound only limits the effect of a lost announcement.
const grantTtlMs = 60_000
const maxRefusals = 10_000
// Long enough that a client in a loop doesn't reach the database each time, and short enough that a new key works
// soon.
const refusalTtlMs = 2_000

/**
 * Caches results of verifications, by SHA-256 of the credential. Refusals are separate from grants: a client that
 * guesses can displace other guesses only.
 *
 * A verification that began before a change was announced, and ends after it, may have read the old rows. So a
 * verification reads the `epoch` first, and `remember` drops results of an earlier one.
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

  /** The merchant of a refused credential is unknown, so any change removes all refusals. */
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
