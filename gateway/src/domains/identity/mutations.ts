import { action, type MutationDefinition } from '../../mutation/definition.ts'

const user = { record: { relationship: 'user', projection: 'User' } } as const
const role = { record: { relationship: 'role', projection: 'Role' } } as const

const tokens = ['accessToken', 'expiresAt', 'refreshToken'] as const
const signedInCustomer = {
  record: { relationship: 'cart', projection: 'Cart' },
  fromResult: [...tokens, 'customerId'],
} as const

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
  signInUser: action({ fromResult: [...tokens, 'codeRequired', 'userId'] }),
  signInCustomer: action(signedInCustomer),
  registerCustomer: action(signedInCustomer),
  refreshSession: action({ fromResult: tokens }),
  signOut: action({}),
  requestUserPasswordReset: action({}),
  requestCustomerPasswordReset: action({}),
  resetPassword: action({}),
  changePassword: action({}),
  requestEmailVerification: action({}),
  verifyEmail: action({}),
  enrollMfa: action({ fromResult: ['secret', 'url'] }),
  confirmMfa: action({ fromResult: ['recoveryCodes'] }),
  disableMfa: action({}),
  resetUserMfa: action(user),
}
