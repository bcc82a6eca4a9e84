import type { MessageName } from '../language/catalogue.ts'

interface Exported {
  readonly name: MessageName
  /** Whoever begins the export needs it. */
  readonly permissions: readonly string[]
  readonly query: string
}

const address = '{ recipientName company line1 line2 city state postalCode country phone }'

/** What the admin exports: the fields that an import reads again have the names that it wants. */
export const exportQueries = {
  products: {
    name: 'products',
    permissions: ['products:read'],
    query: `{ products { nodes {
      id sku name description price currency compareAtPrice costPerItem status featured slug tags seoTitle seoDescription
      categories { id name slug } images { url alt } variants { id sku price compareAtPrice options { name value } } createdAt updatedAt
    } } }`,
  },
  orders: {
    name: 'orders',
    permissions: ['orders:read', 'customers:read'],
    query: `{ orders { nodes {
      id orderNumber createdAt status currency subtotal discount shipping tax total customer { id name email }
      shippingAddress ${address} billingAddress ${address}
      items { sku productName quantity price subtotal discount tax }
    } } }`,
  },
  customers: {
    name: 'customers',
    permissions: ['customers:read'],
    query: '{ customers { nodes { id email name phone createdAt } } }',
  },
  stock: {
    name: 'ledger',
    permissions: ['inventory:read'],
    query: `{ stockMovements { nodes {
      id createdAt kind sku onHandDelta reservedDelta onHand reserved reason warehouse { code name }
    } } }`,
  },
} as const satisfies Record<string, Exported>

export type ExportSubject = keyof typeof exportQueries

/** What an export is of, by its query's first field. */
export function subjectOf(query: string | null): ExportSubject | null {
  const [, field] = /^\s*\{\s*(\w+)/.exec(query ?? '') ?? []
  if (field === 'stockMovements') return 'stock'
  return field !== undefined && Object.hasOwn(exportQueries, field) ? (field as ExportSubject) : null
}
