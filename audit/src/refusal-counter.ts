import type { RefusedAccess } from './entry.ts'

/** Refusals that are alike, within a minute. */
export interface CountedRefusal {
  readonly refusal: RefusedAccess
  readonly occurrences: number
}

const windowMs = 60_000
// Kinds of refusals of one merchant, or of unknown callers, that are counted apart within a minute. Further ones only count by their id.
const maxKindsPerMerchant = 20
const maxKinds = 5_000

interface Counted {
  readonly refusal: RefusedAccess
  readonly until: number
  told: boolean
  more: number
}

/**
 * Counts refused accesses, so that a refused client can't fill a disk: the first of a kind (whose, from where, why, what for) is logged at
 * once, and how many more there were when its minute is over.
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
      told: false,
      more: 0,
    })
  }

  #add(key: string): boolean {
    const counted = this.#kinds.get(key)
    if (counted === undefined) return false
    counted.more += 1
    return true
  }

  /** What is to be told now: what is new, and what came to more in a minute that is over, or is to be taken as over. */
  take(now: number, { all = false }: { readonly all?: boolean } = {}): readonly CountedRefusal[] {
    const taken: CountedRefusal[] = []
    for (const [key, counted] of this.#kinds) {
      if (!counted.told) taken.push({ refusal: counted.refusal, occurrences: 1 })
      counted.told = true
      if (counted.until > now && !all) continue
      this.#forget(key, counted)
      // Of several requests, none is the one.
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

  /** How many could not even be counted by kind since this was asked last. */
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
