import { isDeepStrictEqual } from 'node:util'
import type { Metadata, TableMetadata } from '../metadata/types.ts'

/** The roles that each inherited role consists of. Other roles have no entry. */
export type RoleParents = ReadonlyMap<string, readonly string[]>

export const roleParents = ({ inherited_roles = [] }: Metadata): RoleParents =>
  new Map(inherited_roles.map(({ role_name: role, role_set: parents }) => [role, parents]))

/** A role and all roles that it inherits from, directly or not. The consistency check has removed cycles. */
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

/** A role's own permission, the one that its parents share, or none. */
export type Inherited<Permission> =
  | { readonly kind: 'none' }
  | { readonly kind: 'permission'; readonly permission: Permission }
  /** The parents' permissions differ. */
  | { readonly kind: 'conflict' }

/**
 * A role's write permission. Its own permission takes precedence. Otherwise an inherited role has its parents'
 * permission if all parents with a permission have the same one.
 * https://hasura.io/docs/latest/auth/authorization/inherited-roles/
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

/** Compares without the order of columns and keys, and without absent keys. */
const sameMeaning = (a: object, b: object): boolean => isDeepStrictEqual(meaningOf(a), meaningOf(b))

const meaningOf = (permission: object): object =>
  Object.fromEntries(
    Object.entries<unknown>({ columns: '*', backend_only: false, ...permission })
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => [key, key === 'columns' && Array.isArray(value) ? value.toSorted() : value]),
  )
