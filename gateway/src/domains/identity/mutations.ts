import { action, type MutationDefinition } from '../../mutation/definition.ts'

const user = { record: { relationship: 'user', projection: 'User' } } as const
const customer = { record: { relationship: 'customer', projection: 'Customer' } } as const
const role = { record: { relationship: 'role', projection: 'Role' } } as const

const tokens = ['accessToken', 'expiresAt', 'refreshToken'] as const
const signedInCustomer = {
  record: { relationship: 'cart', projection: 'Cart' },
  fromResult: [...tokens, 'customerId'],
} as const

export const identityMutations: Readonly<Record<string, MutationDefinition>> = {
  createCustomerAccessToken: action({ fromResult: ['accessToken', 'expiresAt', 'sessionId'] }),
  blockCustomer: action(customer),
  unblockCustomer: action(customer),
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
  signInUser: action({
    fromResult: [...tokens, 'codeRequired', 'userId'],
    triesSecret: ['password', 'code'],
  }),
  signInCustomer: action({ ...signedInCustomer, triesSecret: ['password'] }),
  registerCustomer: action(signedInCustomer),
  // Tokens, this one and those in mails, have 256 bits: they are not guessed, so that a wrong one counts for nothing.
  refreshSession: action({ fromResult: tokens }),
  signOut: action({}),
  revokeSession: action({}),
  requestUserPasswordReset: action({}),
  requestCustomerPasswordReset: action({}),
  resetPassword: action({}),
  changePassword: action({ triesSecret: ['currentPassword'] }),
  requestEmailVerification: action({}),
  verifyEmail: action({}),
  enrollMfa: action({ fromResult: ['secret', 'url'], triesSecret: ['password'] }),
  confirmMfa: action({ fromResult: ['recoveryCodes'], triesSecret: ['code'] }),
  disableMfa: action({ triesSecret: ['code'] }),
  resetUserMfa: action(user),
}
