import { action, type MutationDefinition } from '../../mutation/definition.ts'

const user = { record: { relationship: 'user', projection: 'User' } } as const
const role = { record: { relationship: 'role', projection: 'Role' } } as const

export const identityMutations: Readonly<Record<string, MutationDefinition>> = {
  createCustomerAccessToken: action({ fromResult: ['accessToken', 'expiresAt'] }),
  createUser: action(user),
  updateUser: action(user),
  suspendUser: action(user),
  reactivateUser: action(user),
  deleteUser: action({}),
  assignRole: action(user),
  removeRole: action(user),
  createRole: action(role),
  updateRole: action(role),
  deleteRole: action({}),
}
