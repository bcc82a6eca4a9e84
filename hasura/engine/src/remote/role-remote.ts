import type { GraphQLSchema } from 'graphql'
import type { Metadata, RemoteSchema } from '../metadata/types.ts'
import { roleAndAncestors } from '../schema/inherited-permissions.ts'
import { adminRole } from '../session/types.ts'
import type { Introspections } from './remote-directory.ts'
import { type RemotePresets, permittedSchema } from './permitted-schema.ts'
import { type RemoteNames, remoteNames } from './remote-names.ts'

/** A role's view of a remote schema. */
export interface RoleRemote {
  readonly name: string
  readonly definition: RemoteSchema['definition']
  readonly relationships: NonNullable<RemoteSchema['remote_relationships']>
  /** The whole schema of the remote server. */
  readonly upstream: GraphQLSchema
  /** The part that the role may use, with upstream's names. */
  readonly permitted: GraphQLSchema
  readonly presets: RemotePresets
  readonly names: RemoteNames
}

/**
 * The remote schemas that a role may use. As in Hasura, every role may use all of each unless permissions for them are
 * enabled.
 */
export const roleRemotes = (
  metadata: Pick<Metadata, 'remote_schemas' | 'inherited_roles'>,
  introspections: Introspections,
  role: string,
  { permissionsEnabled }: { readonly permissionsEnabled: boolean },
): readonly RoleRemote[] =>
  (metadata.remote_schemas ?? []).flatMap((remote): RoleRemote[] => {
    const { name, definition, remote_relationships: relationships = [] } = remote
    const introspection = introspections.get(name)
    if (introspection?.kind !== 'introspected') return []
    const upstream = introspection.schema
    const names = remoteNames(upstream, definition.customization)
    const whole = { name, definition, relationships, upstream, names }
    if (role === adminRole || !permissionsEnabled)
      return [{ ...whole, permitted: upstream, presets: new Map() }]
    const sdl = permissionOf(remote, role, metadata)
    if (sdl === undefined) return []
    const permitted = permittedSchema(sdl, upstream)
    return permitted.kind === 'permitted'
      ? [{ ...whole, permitted: permitted.schema, presets: permitted.presets }]
      : []
  })

/** The role's own permission, or the permission that the roles it inherits from share. */
function permissionOf(
  { permissions = [] }: RemoteSchema,
  role: string,
  { inherited_roles: inherited = [] }: Pick<Metadata, 'inherited_roles'>,
): string | undefined {
  const own = permissions.find((each) => each.role === role)?.definition.schema
  if (own !== undefined) return own
  const parents = new Map(inherited.map((each) => [each.role_name, each.role_set]))
  const ancestors = roleAndAncestors(role, parents)
  const found = new Set(
    permissions.filter((each) => ancestors.has(each.role)).map(({ definition }) => definition.schema),
  )
  return found.size === 1 ? [...found][0] : undefined
}
