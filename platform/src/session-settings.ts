/** Row security shows each session the rows of its merchant; of those who have none, the operator's and the admin's see all. */
export const sessionSettings = {
  variables: { 'commerce.merchant_id': 'x-hasura-merchant-id' },
  roles: {
    admin: { 'commerce.across_merchants': 'Hasura’s admin' },
    operator: { 'commerce.across_merchants': 'an operator' },
  },
}
