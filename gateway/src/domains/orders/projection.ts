import { ascending, descending } from '../../projection/condition.ts'
import { atLeast, atMost, equals, idEquals } from '../../projection/filter.ts'
import { type ConnectionProjection, type DomainProjection } from '../../projection/types.ts'

const orders: ConnectionProjection = {
  projection: 'Order',
  sortFields: {
    ORDER_NUMBER: { column: 'orderNumber', type: 'String' },
    TOTAL: { column: 'total', type: 'bigint' },
    CREATED_AT: { column: 'createdAt', type: 'timestamptz' },
    UPDATED_AT: { column: 'updatedAt', type: 'timestamptz' },
    STATUS: { column: 'status', type: 'String' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    customerId: idEquals('customerId'),
    status: equals('status', 'String'),
    startDate: atLeast('createdAt', 'timestamptz'),
    endDate: atMost('createdAt', 'timestamptz'),
    minTotal: atLeast('total', 'bigint'),
    maxTotal: atMost('total', 'bigint'),
  },
}

export const ordering: DomainProjection = {
  queries: {
    order: {
      kind: 'lookup',
      table: 'orders',
      projection: 'Order',
      by: { id: idEquals('id'), orderNumber: equals('orderNumber', 'String') },
    },
    orders: { kind: 'connection', table: 'orders', connection: orders },
  },
  types: {
    Order: {
      type: 'Order',
      from: 'Order',
      fields: {
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('position'), ascending('id')] },
        itemCount: {
          kind: 'aggregate',
          relationship: 'items',
          aggregate: { function: 'sum', column: 'quantity', empty: 0 },
        },
        shippingAddress: { kind: 'object', relationship: 'shippingAddress', projection: 'OrderAddress' },
        billingAddress: { kind: 'object', relationship: 'billingAddress', projection: 'OrderAddress' },
      },
    },
    OrderItem: { type: 'OrderItem', from: 'OrderItem', table: 'orderItems' },
    OrderAddress: {
      type: 'Address',
      from: 'OrderAddress',
      fields: { isDefault: { kind: 'constant', value: false } },
    },
    Fulfillment: { type: 'Fulfillment', from: 'Fulfillment', table: 'fulfillments' },
  },
  extensions: {
    Product: {
      orders: { kind: 'connection', relationship: 'productOrders', through: 'order', connection: orders },
      recentOrders: {
        kind: 'list',
        relationship: 'productOrders',
        through: 'order',
        orderBy: [descending('order.createdAt'), descending('order.id')],
        limit: { argument: 'limit', preset: 10 },
      },
      totalSold: { kind: 'path', relationship: 'sales', column: 'totalSold', absent: 0 },
    },
    Customer: {
      orders: { kind: 'connection', relationship: 'orders', connection: orders },
    },
  },
}
