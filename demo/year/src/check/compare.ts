const maxShown = 5

/** Compares what is kept with what was recomputed, by key. What is nothing needn't be there. */
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

/** Something that must hold of a shop, and what of it doesn't. */
export interface Check {
  readonly name: string
  /** How many things were compared. */
  readonly compared: number
  /** What differs, described; at most five of them. */
  readonly wrong: readonly string[]
}
