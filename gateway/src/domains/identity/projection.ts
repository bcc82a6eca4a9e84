import { type DomainProjection } from '../../projection/types.ts'

export const identity: DomainProjection = {
  queries: {
    viewer: {
      kind: 'principal',
      value: (principal) => ({
        id: principal.kind === 'key' ? principal.keyId : principal.customerId,
        permissions: [...principal.permissions].sort(),
        role: principal.sessionVariables['x-hasura-role'] ?? null,
        merchant: { id: principal.merchantId, plan: principal.plan, features: principal.features },
      }),
    },
  },
}
