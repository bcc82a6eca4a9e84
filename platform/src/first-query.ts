/** The first query for a new user: `npm start`, the README and GraphiQL show it. */
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
