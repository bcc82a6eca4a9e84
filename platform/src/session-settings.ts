/** Row security shows each session the rows of its merchant; of those who have none, the operator's and the admin's see all. */
export const sessionSettings = {
  variables: { 'commerce.merchant_id': 'x-hasura-merchant-id' },
  roles: {
    admin: { role: 'commerce_engine_across' },
    operator: { role: 'commerce_engine_across' },
  },
}
