import type { RefusedAccess } from './entry.ts'

/** Equal refusals within a minute. */
export interface CountedRefusal {
  readonly refusal: RefusedAccess
  readonly occurrences: number
}

const windowMs = 60_000
// The kinds of refusals of one merchant, or of unknown callers, that are counted separately within a minute.
// Further kinds are counted by their id only.
const maxKindsPerMerchant = 20
const maxKinds = 5_000

interface Counted {
  readonly refusal: RefusedAccess
  readonly until: number
  reported: boolean
  more: number
}

/**
 * Counts refused accesses, so that a refused client can't fill a disk. The first refusal of a kind (caller, address,
 * error and operation) is logged at once, and the number of repetitions after a minute.
 */
export class RefusalCounter {
  readonly #kinds = new Map<string, Counted>()
  readonly #ofMerchant = new Map<string, number>()
  #dropped = 0

  count(refusal: RefusedAccess, now: number): void {
    const merchant = refusal.actor?.merchantId ?? ''
    const precise = JSON.stringify([
      merchant,
      refusal.actor?.id,
      refusal.clientAddress,
      refusal.code,
      refusal.operation,
    ])
    if (this.#add(precise)) return
    const kinds = this.#ofMerchant.get(merchant) ?? 0
    const coarse = JSON.stringify([merchant, refusal.code])
    const isPrecise = kinds < maxKindsPerMerchant
    if (!isPrecise && this.#add(coarse)) return
    if (this.#kinds.size >= maxKinds) {
      this.#dropped += 1
      return
    }
    this.#ofMerchant.set(merchant, kinds + 1)
    this.#kinds.set(isPrecise ? precise : coarse, {
      refusal: isPrecise ? refusal : withoutDetails(refusal),
      until: now + windowMs,
      reported: false,
      more: 0,
    })
  }

  #add(key: string): boolean {
    const counted = this.#kinds.get(key)
    if (counted === undefined) return false
    counted.more += 1
    return true
  }

  /** The refusals to report now: new kinds, and repetitions of kinds whose minute is over (of all kinds with `all`). */
  take(now: number, { all = false }: { readonly all?: boolean } = {}): readonly CountedRefusal[] {
    const taken: CountedRefusal[] = []
    for (const [key, counted] of this.#kinds) {
      if (!counted.reported) taken.push({ refusal: counted.refusal, occurrences: 1 })
      counted.reported = true
      if (counted.until > now && !all) continue
      this.#forget(key, counted)
      // The entry stands for several requests, so it has no request id.
      if (counted.more > 0)
        taken.push({ refusal: { ...counted.refusal, requestId: null }, occurrences: counted.more })
    }
    return taken
  }

  #forget(key: string, { refusal }: Counted): void {
    const merchant = refusal.actor?.merchantId ?? ''
    this.#kinds.delete(key)
    const left = (this.#ofMerchant.get(merchant) ?? 1) - 1
    if (left > 0) this.#ofMerchant.set(merchant, left)
    else this.#ofMerchant.delete(merchant)
  }

  /** The number of refusals since the last call that exceeded the number of kinds. */
  takeDropped(): number {
    const dropped = this.#dropped
    this.#dropped = 0
    return dropped
  }
}

const withoutDetails = ({ actor, code, source }: RefusedAccess): RefusedAccess => ({
  actor: actor && { ...actor, id: null },
  code,
  source,
  clientAddress: null,
  requestId: null,
  operation: null,
})
