import { action, type MutationDefinition } from '../../mutation/definition.ts'

export const identityMutations: Readonly<Record<string, MutationDefinition>> = {
  createCustomerAccessToken: action({ fromResult: ['accessToken', 'expiresAt'] }),
}
