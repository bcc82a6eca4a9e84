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

/**
 * The list with a picture that was removed from it, where it was before. Pictures are known by their addresses: each change of the list
 * gives them other ids.
 *
 * @param now others may have changed it since
 * @param as what is put there instead of the picture as it was
 */
export function putBack<Image extends ListedImage>(
  now: readonly Image[],
  before: readonly Image[],
  removed: Image,
  as: Image = removed,
): readonly Image[] {
  const earlier = before.slice(0, before.indexOf(removed))
  const left = earlier.findLast(({ url }) => now.some((each) => each.url === url))
  const index = left === undefined ? 0 : now.findLastIndex(({ url }) => url === left.url) + 1
  return [...now.slice(0, index), as, ...now.slice(index)]
}

/** The list with pictures that were moved where they were before, as far as they are still there. */
export const movedBack = <Image extends ListedImage>(
  now: readonly Image[],
  before: readonly Image[],
  moved: readonly Image[],
): readonly Image[] =>
  moved.reduce((list, image) => {
    const index = list.findIndex(({ url }) => url === image.url)
    return index === -1 ? list : putBack(list.toSpliced(index, 1), before, image, list[index])
  }, now)
