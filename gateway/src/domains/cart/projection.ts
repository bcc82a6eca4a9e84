import { ascending } from '../../projection/condition.ts'
import { type Filter, idEquals } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection, Lookup } from '../../projection/types.ts'

const checkedOut: Filter = {
  condition: (value) => ({ checkedOutAt: { _is_null: value('Boolean!') } }),
  toVariable: (wanted) => wanted !== true,
}

const carts: ConnectionProjection = {
  projection: 'Cart',
  sortFields: {
    CREATED_AT: { column: 'createdAt', type: 'timestamptz' },
    UPDATED_AT: { column: 'updatedAt', type: 'timestamptz' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: { customerId: idEquals('customerId'), checkedOut },
}

const total = (column: string) => ({ kind: 'path', relationship: 'totals', column }) as const

const cartById: Lookup = { kind: 'lookup', table: 'carts', projection: 'Cart', by: { id: idEquals('id') } }

export const cart: DomainProjection = {
  subscriptions: { cart: cartById },
  queries: {
    cart: cartById,
    carts: { kind: 'connection', table: 'carts', connection: carts },
  },
  types: {
    Cart: {
      type: 'Cart',
      from: 'Cart',
      fields: {
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('createdAt'), ascending('id')] },
        itemCount: total('itemCount'),
        subtotal: total('subtotal'),
        tax: total('tax'),
        shipping: total('shipping'),
        discount: total('discount'),
        total: total('total'),
        shippingAddress: { kind: 'object', relationship: 'shippingAddress', projection: 'CartAddress' },
        availableShippingMethods: {
          kind: 'list',
          relationship: 'shippingOptions',
          orderBy: [ascending('price'), ascending('shippingMethodId')],
        },
      },
    },
    CartAddress: {
      type: 'Address',
      from: 'CartAddress',
      fields: {
        id: { kind: 'column', column: 'cartId' },
        isDefault: { kind: 'constant', value: false },
      },
    },
    ShippingOption: { type: 'ShippingOption', from: 'ShippingOption' },
    CartItem: { type: 'CartItem', from: 'CartItem', table: 'cartItems' },
  },
}
