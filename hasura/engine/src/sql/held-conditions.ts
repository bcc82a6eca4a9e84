import { isDeepStrictEqual } from 'node:util'
import { allOf, always, type Predicate } from '../schema/predicate.ts'

/**
 * The parts of a filter that are about no row of its table, such as `_exists` on a table of permissions. Where a row has
 * passed the filter, they hold.
 */
export function closedConditions(filter: Predicate): readonly Predicate[] {
  switch (filter.kind) {
    case 'and':
      return filter.operands.flatMap(closedConditions)
    case 'permission':
      return closedConditions(filter.predicate)
    case 'exists':
      return refersToRoot(filter.predicate) ? [] : [filter]
    default:
      return []
  }
}

/** The filter without the parts that are known to hold. */
export function withoutHeld(filter: Predicate, held: readonly Predicate[]): Predicate {
  switch (filter.kind) {
    case 'and':
      return allOf(filter.operands.map((operand) => withoutHeld(operand, held)))
    case 'permission':
      return { kind: 'permission', predicate: withoutHeld(filter.predicate, held) }
    case 'exists':
      return held.some((condition) => isDeepStrictEqual(condition, filter)) ? always : filter
    default:
      return filter
  }
}

/** Whether a condition has a column of the row that the whole expression is about (`["$", "column"]`). */
function refersToRoot(part: unknown): boolean {
  if (typeof part !== 'object' || part === null) return false
  if ('kind' in part && part.kind === 'column' && 'scope' in part && part.scope === 'root') return true
  return Object.values(part).some(refersToRoot)
}
