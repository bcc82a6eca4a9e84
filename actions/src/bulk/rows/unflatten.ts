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

/** False if the column, or what it is a part of, has a value already. */
function insert(root: Tree, path: readonly string[], text: string): boolean {
  let branch = root
  for (const name of path.slice(0, -1)) {
    const present = branch.get(name) ?? new Map<string, Tree | string>()
    if (typeof present === 'string') return false
    branch.set(name, present)
    branch = present
  }
  const last = path.at(-1) ?? ''
  if (branch.has(last)) return false
  branch.set(last, text)
  return true
}

function valueOf(tree: Tree | string): unknown {
  if (typeof tree === 'string') return tree
  const names = [...tree.keys()]
  if (names.length > 0 && names.every((name) => /^\d+$/.test(name))) {
    return [...tree].sort(([a], [b]) => Number(a) - Number(b)).map(([, branch]) => valueOf(branch))
  }
  return Object.fromEntries([...tree].map(([name, branch]) => [name, valueOf(branch)]))
}
