import { engineAcrossRole } from '@commerce-graph/postgres-driver/merchant-scope'

/** Row security shows each session the rows of its merchant; of those who have none, the operator's and the admin's see all. */
export const sessionSettings = {
  variables: { 'commerce.merchant_id': 'x-hasura-merchant-id' },
  roles: {
    admin: { role: engineAcrossRole },
    operator: { role: engineAcrossRole },
  },
}
