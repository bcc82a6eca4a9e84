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
  signInUser: action({ fromResult: [...tokens, 'codeRequired', 'userId'], triesSecret: true }),
  signInCustomer: action({ ...signedInCustomer, triesSecret: true }),
  // Which addresses are taken is worth guessing, too.
  registerCustomer: action({ ...signedInCustomer, triesSecret: true }),
  refreshSession: action({ fromResult: tokens, triesSecret: true }),
  signOut: action({}),
  requestUserPasswordReset: action({}),
  requestCustomerPasswordReset: action({}),
  resetPassword: action({ triesSecret: true }),
  changePassword: action({ triesSecret: true }),
  requestEmailVerification: action({}),
  verifyEmail: action({ triesSecret: true }),
  enrollMfa: action({ fromResult: ['secret', 'url'], triesSecret: true }),
  confirmMfa: action({ fromResult: ['recoveryCodes'], triesSecret: true }),
  disableMfa: action({ triesSecret: true }),
  resetUserMfa: action(user),
}
