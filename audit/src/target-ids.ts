const maxIds = 100
const maxDepth = 5
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const idName = /^ids?$|Ids?$/

/**
 * The ids in a mutation's arguments or result: the UUIDs under `id`, `ids`, `orderId`, `productIds` and the like. No
 * other values get into the audit log. The merchant's own id is omitted, because every entry has it.
 *
 * @returns each once, at most 100
 */
export function targetIdsOf(...values: readonly unknown[]): readonly string[] {
  const found = new Set<string>()
  for (const value of values) collect(value, false, 0, found)
  return [...found]
}

function collect(value: unknown, isId: boolean, depth: number, found: Set<string>): void {
  if (found.size >= maxIds || depth > maxDepth) return
  if (typeof value === 'string') {
    if (isId && uuid.test(value)) found.add(value.toLowerCase())
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, isId, depth + 1, found)
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      if (name !== 'merchantId') collect(member, idName.test(name), depth + 1, found)
    }
  }
}
