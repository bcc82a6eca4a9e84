import { displayName } from '../metadata/qualified-name.ts'
import type { Metadata } from '../metadata/types.ts'
import { metadataRoles } from '../metadata/roles.ts'
import {
  type RoleParents,
  type WriteKind,
  roleParents,
  writePermission,
} from '../schema/inherited-permissions.ts'
import type { Inconsistency } from '../snapshot.ts'
import { type Checked, checkEach, inheritedRoleObject } from './metadata-object.ts'

type InheritedRole = NonNullable<Metadata['inherited_roles']>[number]

/** Keeps the inherited roles whose roles exist and don't include themselves. */
export function checkInheritedRoles(metadata: Metadata): Checked<InheritedRole> {
  const known = metadataRoles(metadata)
  const parents = roleParents(metadata)
  const seen = new Set<string>()
  return checkEach(
    metadata.inherited_roles,
    ({ role_name: role, role_set: set }) => {
      if (seen.has(role)) return `multiple definitions of inherited role "${role}"`
      seen.add(role)
      if (set.includes(role)) return 'an inherited role name cannot be in the role combination'
      if (inheritsFromItself(role, parents))
        return `found cycle(s) in roles: the role "${role}" inherits from itself`
      const missing = set.filter((parent) => !known.has(parent))
      return missing.length === 0
        ? undefined
        : `the following parent role(s) are not found: ${missing.map((name) => `"${name}"`).join(', ')} which are required to construct the inherited role: "${role}"`
    },
    inheritedRoleObject,
  )
}

function inheritsFromItself(role: string, parents: RoleParents): boolean {
  const seen = new Set<string>()
  const waiting = [...(parents.get(role) ?? [])]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next === role) return true
    if (seen.has(next)) continue
    seen.add(next)
    waiting.push(...(parents.get(next) ?? []))
  }
  return false
}

const writeKinds: readonly WriteKind[] = ['insert', 'update', 'delete']

/** Reports the permissions that an inherited role doesn't get, because its roles' permissions conflict. */
export function inheritanceConflicts(metadata: Metadata): readonly Inconsistency[] {
  const parents = roleParents(metadata)
  return (metadata.inherited_roles ?? []).flatMap(({ role_name: role }) =>
    metadata.sources.flatMap((source) =>
      source.tables.flatMap((table) =>
        writeKinds
          .filter((kind) => writePermission(table, kind, role, parents).kind === 'conflict')
          .map((kind) => conflict(role, source.name, displayName(table.table), kind)),
      ),
    ),
  )
}

const conflict = (role: string, source: string, table: string, kind: WriteKind): Inconsistency => ({
  type: 'inherited role permission inconsistency',
  name: role,
  reason: `Could not inherit permission for the role "${role}" for the entity: "${kind} permission, table: ${table}, source: ${source}"`,
  definition: null,
  entity: { permission_type: kind, source, table },
})
