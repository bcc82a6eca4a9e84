type Tree = Map<string, Tree | string>

/**
 * Converts columns such as `reviews.0.rating` to nested values. A level whose names are all whole numbers becomes a
 * list in their order.
 *
 * @returns the value, or the column that would be both a value and an object
 */
export function unflatten(
  cells: Iterable<readonly [column: string, text: string]>,
): { readonly value: unknown } | { readonly conflict: string } {
  const root: Tree = new Map()
  for (const [column, text] of cells) {
    if (!insert(root, column.split('.'), text)) return { conflict: column }
  }
  return { value: valueOf(root) }
}

function insert(tree: Tree, [name = '', ...rest]: readonly string[], text: string): boolean {
  const present = tree.get(name)
  if (rest.length === 0) {
    if (present !== undefined) return false
    tree.set(name, text)
    return true
  }
  if (typeof present === 'string') return false
  const branch = present ?? new Map<string, Tree | string>()
  tree.set(name, branch)
  return insert(branch, rest, text)
}

function valueOf(tree: Tree | string): unknown {
  if (typeof tree === 'string') return tree
  const names = [...tree.keys()]
  if (names.length > 0 && names.every((name) => /^\d+$/.test(name))) {
    return [...tree].sort(([a], [b]) => Number(a) - Number(b)).map(([, branch]) => valueOf(branch))
  }
  return Object.fromEntries([...tree].map(([name, branch]) => [name, valueOf(branch)]))
}
