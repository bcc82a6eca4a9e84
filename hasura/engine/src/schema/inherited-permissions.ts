import { isDeepStrictEqual } from 'node:util'
import type { Metadata, TableMetadata } from '../metadata/types.ts'

/** The roles that an inherited role is made of; other roles are not in it. */
export type RoleParents = ReadonlyMap<string, readonly string[]>

export const roleParents = ({ inherited_roles = [] }: Metadata): RoleParents =>
  new Map(inherited_roles.map(({ role_name: role, role_set: parents }) => [role, parents]))

/** A role and all that it inherits from, directly or not. Cycles have been left out of the metadata before. */
export function roleAndAncestors(role: string, parents: RoleParents): ReadonlySet<string> {
  const found = new Set<string>()
  const add = (name: string): void => {
    if (found.has(name)) return
    found.add(name)
    for (const parent of parents.get(name) ?? []) add(parent)
  }
  add(role)
  return found
}

export type WriteKind = 'insert' | 'update' | 'delete'

export type WritePermission<Kind extends WriteKind> = NonNullable<
  TableMetadata[`${Kind}_permissions`]
>[number]['permission']

/** A role's own permission, one that its parents agree on, or none. */
export type Inherited<Permission> =
  | { readonly kind: 'none' }
  | { readonly kind: 'permission'; readonly permission: Permission }
  /** The parents differ, and nobody can say what is meant. */
  | { readonly kind: 'conflict' }

/**
 * What a role may write. Its own permission counts alone; an inherited role has what all those of its parents that
 * have one say alike. https://hasura.io/docs/latest/auth/authorization/inherited-roles/
 */
export function writePermission<Kind extends WriteKind>(
  table: TableMetadata,
  kind: Kind,
  role: string,
  parents: RoleParents,
): Inherited<WritePermission<Kind>> {
  const all: readonly { readonly role: string; readonly permission: WritePermission<Kind> }[] =
    table[`${kind}_permissions`] ?? []
  const own = all.find((each) => each.role === role)
  if (own) return { kind: 'permission', permission: own.permission }
  const inherited = (parents.get(role) ?? [])
    .map((parent) => writePermission(table, kind, parent, parents))
    .filter((each) => each.kind !== 'none')
  const [first] = inherited
  if (first === undefined) return { kind: 'none' }
  const agree = inherited.every(
    (each) =>
      each.kind === 'permission' &&
      first.kind === 'permission' &&
      sameMeaning(each.permission, first.permission),
  )
  return agree ? first : { kind: 'conflict' }
}

/** The order of columns and keys, and what is not given, say nothing. */
const sameMeaning = (a: object, b: object): boolean => isDeepStrictEqual(meaningOf(a), meaningOf(b))

const meaningOf = (permission: object): object =>
  Object.fromEntries(
    Object.entries<unknown>({ columns: '*', backend_only: false, ...permission })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, key === 'columns' && Array.isArray(value) ? value.toSorted() : value]),
  )
