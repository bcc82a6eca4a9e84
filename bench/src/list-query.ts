/** "20 newest active products with images, categories and stock", as a storefront's query. */
export const listQuery = `query List($first: Int!) {
  products(first: $first, sortBy: CREATED_AT, sortOrder: DESC, filters: { status: ACTIVE }) {
    edges {
      node {
        id
        name
        slug
        price
        currency
        images { url alt width height }
        categories { id name slug }
        inventory { available reserved isLowStock }
      }
    }
  }
}`
