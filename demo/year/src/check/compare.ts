const maxShown = 5

/** Compares stored with recalculated values, by key. A zero may be missing. */
export function compare(
  name: string,
  kept: ReadonlyMap<string, number>,
  recomputed: ReadonlyMap<string, number>,
): Check {
  const keys = new Set([...kept.keys(), ...recomputed.keys()])
  const wrong = [...keys]
    .filter((key) => (kept.get(key) ?? 0) !== (recomputed.get(key) ?? 0))
    .map((key) => `${key}: ${kept.get(key) ?? 0} instead of ${recomputed.get(key) ?? 0}`)
  return { name, compared: keys.size, wrong: wrong.slice(0, maxShown) }
}

export const byKey = (rows: readonly { readonly key: string; readonly value: number | null }[]) =>
  new Map(rows.map(({ key, value }) => [key, value ?? 0]))

/** A rule for a shop, and its violations. */
export interface Check {
  readonly name: string
  /** The number of compared values. */
  readonly compared: number
  /** The differences as texts; at most five. */
  readonly wrong: readonly string[]
}
