import { inheritedRoleObject } from '../consistency/metadata-object.ts'
import { HasuraError } from '../hasura-error.ts'
import { nonEmptyText, record } from '../metadata/parse.ts'
import { inheritedRole } from '../metadata/types.ts'
import { type Command, edit } from './command.ts'

export const inheritedRoleCommands: Readonly<Record<string, Command>> = {
  /** As in Hasura, it replaces an inherited role of the same name. */
  add_inherited_role: edit(inheritedRole, async (role, draft) => {
    if (role.role_set.includes(role.role_name))
      throw new HasuraError('invalid-params', 'an inherited role name cannot be in the role combination')
    const metadata = draft.snapshot.storedMetadata
    const others = (metadata.inherited_roles ?? []).filter(({ role_name: name }) => name !== role.role_name)
    await draft.change({ ...metadata, inherited_roles: [...others, role] }, inheritedRoleObject(role))
  }),

  drop_inherited_role: edit(record({ role_name: nonEmptyText }), async ({ role_name: role }, draft) => {
    const metadata = draft.snapshot.storedMetadata
    if (metadata.inherited_roles?.some(({ role_name: name }) => name === role) !== true)
      throw new HasuraError('not-exists', `"${role}" inherited role doesn't exist`)
    await draft.accept({
      ...metadata,
      inherited_roles: metadata.inherited_roles.filter(({ role_name: name }) => name !== role),
    })
  }),
}
