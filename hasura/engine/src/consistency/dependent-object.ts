import { displayName, qualifiedName } from '../metadata/qualified-name.ts'
import type { Inconsistency } from '../snapshot.ts'
import { z } from 'zod'

const member = z.object({
  source: z.string(),
  table: qualifiedName,
  name: z.string().optional(),
  role: z.string().optional(),
})

/** Hasura's description of an object that prevents a change: `permission author.user.select in source "default"`. */
function describeDependent({ type, name, definition }: Inconsistency): string {
  const parsed = member.safeParse(definition)
  if (!parsed.success) return name
  const { source, table, role = '', name: ownName = '' } = parsed.data
  const from = `in source "${source}"`
  const prefix = displayName(table)
  switch (type) {
    case 'object_relation':
    case 'array_relation':
      return `relationship ${prefix}.${ownName} ${from}`
    case 'computed_field':
      return `computed field ${prefix}.${ownName} ${from}`
    case 'event_trigger':
      return `event-trigger ${prefix}.${ownName} ${from}`
    case 'insert_permission':
    case 'select_permission':
    case 'update_permission':
    case 'delete_permission':
      return `permission ${prefix}.${role}.${type.replace('_permission', '')} ${from}`
    default:
      return name
  }
}

export const describeDependents = (dependents: readonly Inconsistency[]): string =>
  dependents.map(describeDependent).toSorted().join(', ')
