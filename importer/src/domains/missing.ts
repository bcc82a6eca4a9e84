/**
 * The elements of `wanted` that are not in `present`, as multisets: of three equal elements of which one is present,
 * two are missing.
 *
 * @param identity a key for either kind; elements with the same key are equal
 */
export function missing<W, P>(
  wanted: readonly W[],
  present: readonly P[],
  identity: { readonly ofWanted: (wanted: W) => string; readonly ofPresent: (present: P) => string },
): { readonly index: number; readonly value: W }[] {
  const counts = new Map<string, number>()
  for (const one of present) {
    const key = identity.ofPresent(one)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return wanted.flatMap((value, index) => {
    const key = identity.ofWanted(value)
    const count = counts.get(key) ?? 0
    if (count === 0) return [{ index, value }]
    counts.set(key, count - 1)
    return []
  })
}
