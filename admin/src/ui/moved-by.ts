/** The list with one item so many places further; the same list if that is beyond its ends. */
export function movedBy<Item>(items: readonly Item[], place: number, by: number): readonly Item[] {
  const next = place + by
  const item = items[place]
  if (item === undefined || next < 0 || next >= items.length) return items
  const rest = items.filter((_each, index) => index !== place)
  return [...rest.slice(0, next), item, ...rest.slice(next)]
}
