import { merchant } from './engine-shop.ts'

/** One operation, written for the engine and for PostGraphile. */
export interface ShopOperation {
  readonly name: string
  /** The root field of the engine's answer. */
  readonly field: string
  readonly engine: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }
  readonly postgraphile: { readonly query: string; readonly variables: Readonly<Record<string, unknown>> }
}

const merchantId = Number(merchant)

/** The operations on a product in the middle of the table. `id` must be one of the merchant's own. */
export const shopOperations = (id: number): readonly ShopOperation[] => [
  {
    name: 'list of 20',
    field: 'product',
    engine: {
      query: `query List($limit: Int!, $status: String!) {
        product(where: {status: {_eq: $status}}, order_by: [{created_at: desc}, {id: desc}], limit: $limit) {
          id name slug price currency
          images(order_by: {position: asc}) { url alt width height }
          categories { category { id name slug } }
          stock { available reserved }
        }
      }`,
      variables: { limit: 20, status: 'ACTIVE' },
    },
    postgraphile: {
      query: `query List($limit: Int!, $merchantId: Int!, $status: String!) {
        allProducts(condition: {merchantId: $merchantId, status: $status}, orderBy: [CREATED_AT_DESC, ROW_ID_DESC], first: $limit) {
          nodes {
            rowId name slug price currency
            productImagesByProductId(orderBy: [POSITION_ASC]) { nodes { url alt width height } }
            productCategoriesByProductId { nodes { categoryByCategoryId { rowId name slug } } }
            stockByProductId { available reserved }
          }
        }
      }`,
      variables: { limit: 20, merchantId, status: 'ACTIVE' },
    },
  },
  {
    name: 'row by key',
    field: 'product_by_pk',
    engine: {
      query: 'query Row($id: bigint!) { product_by_pk(id: $id) { id name slug price currency status } }',
      variables: { id },
    },
    postgraphile: {
      query:
        'query Row($id: BigInt!) { productByRowId(rowId: $id) { rowId name slug price currency status } }',
      variables: { id: String(id) },
    },
  },
  {
    name: 'insert',
    field: 'insert_product_one',
    engine: {
      query: `mutation Add($object: product_insert_input!) {
        insert_product_one(object: $object) { id name slug price }
      }`,
      variables: { object: { name: 'New', slug: 'new', price: 1500 } },
    },
    postgraphile: {
      query: `mutation Add($input: CreateProductInput!) {
        createProduct(input: $input) { product { rowId name slug price } }
      }`,
      variables: { input: { product: { merchantId, name: 'New', slug: 'new', price: '1500' } } },
    },
  },
]
