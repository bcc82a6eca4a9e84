/** A picture of a product, as it is sent back. */
export interface ListedImage {
  readonly url: string
  readonly alt: string | null
  readonly width: number | null
  readonly height: number | null
}

/** The pictures as an update takes them: the list is replaced, in this order. */
export const imageInputs = (images: readonly ListedImage[]) =>
  images.map(({ url, alt, width, height }) => ({
    url,
    ...(alt !== null && alt !== '' && { alt }),
    ...(width !== null && { width }),
    ...(height !== null && { height }),
  }))

/** The list with the items of these keys before or after another one. An item that isn't there moves nothing. */
export function movedTo<Item>(
  items: readonly Item[],
  keyOf: (item: Item) => string,
  keys: ReadonlySet<string>,
  target: { readonly key: string; readonly after: boolean },
): readonly Item[] {
  const moved = items.filter((item) => keys.has(keyOf(item)))
  const rest = items.filter((item) => !keys.has(keyOf(item)))
  const at = rest.findIndex((item) => keyOf(item) === target.key)
  if (at === -1) return items
  const index = target.after ? at + 1 : at
  return [...rest.slice(0, index), ...moved, ...rest.slice(index)]
}
