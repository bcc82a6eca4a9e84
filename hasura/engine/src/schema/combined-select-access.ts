import { type Predicate, allOf, anyOf, isAlways } from './predicate.ts'
import type { Masks, SelectAccess } from './table-access.ts'

/**
 * An inherited role's read access to a table that several of its roles may read: the union of their rows and columns. A
 * value that only some roles may read is null in rows that only the others may see.
 * https://hasura.io/docs/latest/auth/authorization/inherited-roles/
 */
export function combinedSelectAccess(parts: readonly SelectAccess[]): SelectAccess {
  const limits = parts.flatMap(({ limit }) => (limit === undefined ? [] : [limit]))
  return {
    columns: union(parts.map(({ columns }) => columns)),
    computedFields: union(parts.map(({ computedFields }) => computedFields)),
    filter: anyOf(parts.map(({ filter }) => filter)),
    masks: {
      columns: combinedMasks(parts, 'columns'),
      computedFields: combinedMasks(parts, 'computedFields'),
    },
    // As in Hasura, a role without a limit doesn't lift the limits of the others.
    limit: limits.length === 0 ? undefined : Math.max(...limits),
    aggregations: parts.some(({ aggregations }) => aggregations),
    queryFields: union(parts.map(({ queryFields }) => queryFields)),
    subscriptionFields: union(parts.map(({ subscriptionFields }) => subscriptionFields)),
  }
}

const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
  new Set(sets.flatMap((set) => [...set]))

function combinedMasks(parts: readonly SelectAccess[], kind: keyof Masks): ReadonlyMap<string, Predicate> {
  const masks = new Map<string, Predicate>()
  for (const name of union(parts.map((part) => part[kind]))) {
    const readers = parts.filter((part) => part[kind].has(name))
    if (readers.length === parts.length && readers.every(({ masks: own }) => !own[kind].has(name))) continue
    const shown = anyOf(
      readers.map(({ filter, masks: own }) => {
        const mask = own[kind].get(name)
        return mask === undefined ? filter : allOf([filter, mask])
      }),
    )
    if (!isAlways(shown)) masks.set(name, shown)
  }
  return masks
}
