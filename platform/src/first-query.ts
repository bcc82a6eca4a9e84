/** What a newcomer is shown to begin with: printed by `npm start`, in the README, and in GraphiQL. */
export const firstQuery = `{
  products(first: 3) {
    totalCount
    edges {
      node {
        name
        price
        currency
      }
    }
  }
}
`
