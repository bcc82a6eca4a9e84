import { ascending } from '../../projection/condition.ts'
import { keptFilters, type Filter, idEquals } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection, Lookup } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const checkedOut: Filter = {
  condition: (value) => ({ checked_out_at: { _is_null: value('Boolean!') } }),
  toVariable: (wanted) => wanted !== true,
}

const carts: ConnectionProjection = {
  projection: 'Cart',
  sortFields: {
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: { customerId: idEquals('customer_id'), checkedOut, ...keptFilters, ...updatedAtFilters },
}

const total = (column: string) => ({ kind: 'path', relationship: 'totals', column }) as const

const cartById: Lookup = { kind: 'lookup', projection: 'Cart', by: { id: idEquals('id') } }

export const cart: DomainProjection = {
  subscriptions: { cart: cartById },
  queries: {
    cart: cartById,
    carts: { kind: 'connection', connection: carts },
  },
  types: {
    Cart: {
      type: 'Cart',
      table: 'cart_cart',
      fields: {
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('created_at'), ascending('id')] },
        itemCount: total('item_count'),
        subtotal: total('subtotal'),
        tax: total('tax'),
        shipping: total('shipping'),
        discount: total('discount'),
        total: total('total'),
        shippingAddress: { kind: 'object', relationship: 'shipping_address', projection: 'CartAddress' },
        availableShippingMethods: {
          kind: 'list',
          relationship: 'shipping_options',
          orderBy: [ascending('price'), ascending('shipping_method_id')],
        },
      },
    },
    CartAddress: {
      type: 'Address',
      table: 'cart_cart_address',
      fields: {
        id: { kind: 'column', column: 'cart_id' },
        isDefault: { kind: 'constant', value: false },
      },
    },
    ShippingOption: { type: 'ShippingOption', table: 'cart_shipping_option' },
    CartItem: {
      type: 'CartItem',
      table: 'cart_priced_cart_item',
      fields: { properties: { kind: 'stored', column: 'properties' } },
    },
  },
}
