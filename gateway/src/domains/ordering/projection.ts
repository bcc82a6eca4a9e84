import { ascending, descending } from '../../projection/condition.ts'
import { atLeast, atMost, equals, idEquals } from '../../projection/filter.ts'
import type {
  ConnectionProjection,
  DomainProjection,
  FieldProjection,
  Lookup,
} from '../../projection/types.ts'

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

const byTime = { CREATED_AT: { column: 'createdAt', type: 'timestamptz' } } as const

const returns: ConnectionProjection = {
  projection: 'OrderReturn',
  sortFields: byTime,
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: { orderId: idEquals('orderId'), status: equals('status', 'String') },
}

const history: ConnectionProjection = {
  projection: 'OrderHistoryEntry',
  sortFields: byTime,
  preset: { sortBy: 'CREATED_AT', direction: 'asc' },
  filters: {},
}

const drafts: ConnectionProjection = {
  projection: 'DraftOrder',
  sortFields: { ...byTime, UPDATED_AT: { column: 'updatedAt', type: 'timestamptz' } },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    customerId: idEquals('customerId'),
    status: { condition: (value) => ({ sums: { status: { _eq: value('String!') } } }) },
  },
}

/** Of a draft, computed as things are now. */
const sum = (column: string): FieldProjection => ({ kind: 'path', relationship: 'sums', column })

const oldestFirst = [ascending('createdAt'), ascending('id')]

const order: Lookup = {
  kind: 'lookup',
  table: 'orders',
  projection: 'Order',
  by: { id: idEquals('id'), orderNumber: equals('orderNumber', 'String') },
}

export const ordering: DomainProjection = {
  subscriptions: {
    order,
    orderCreated: {
      kind: 'stream',
      table: 'orders',
      projection: 'Order',
      // A merchant's orders get their numbers one after the other, under a lock that is held until they are committed. So no order
      // ever becomes visible below a number that is visible already, which can't be said of a time.
      cursor: { column: 'orderNumber', type: 'String', argument: 'after' },
    },
  },
  queries: {
    order,
    orders: { kind: 'connection', table: 'orders', connection: orders },
    shipment: { kind: 'lookup', table: 'shipments', projection: 'Shipment', by: { id: idEquals('id') } },
    orderReturn: {
      kind: 'lookup',
      table: 'orderReturns',
      projection: 'OrderReturn',
      by: { id: idEquals('id'), returnNumber: equals('returnNumber', 'String') },
    },
    draftOrder: {
      kind: 'lookup',
      table: 'draftOrders',
      projection: 'DraftOrder',
      by: { id: idEquals('id') },
    },
    draftOrders: { kind: 'connection', table: 'draftOrders', connection: drafts },
    orderReturns: { kind: 'connection', table: 'orderReturns', connection: returns },
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
        shipments: { kind: 'list', relationship: 'shipments', orderBy: oldestFirst },
        returns: { kind: 'list', relationship: 'returns', orderBy: oldestFirst },
        history: { kind: 'connection', relationship: 'history', connection: history },
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
    Shipment: {
      type: 'Shipment',
      from: 'Shipment',
      table: 'shipments',
      fields: {
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('orderItem.position')] },
      },
    },
    ShipmentItem: { type: 'ShipmentItem', from: 'ShipmentLine' },
    OrderReturn: {
      type: 'OrderReturn',
      from: 'OrderReturn',
      table: 'orderReturns',
      fields: { items: { kind: 'list', relationship: 'items', orderBy: [ascending('position')] } },
    },
    ReturnItem: { type: 'ReturnItem', from: 'ReturnLine' },
    DraftOrder: {
      type: 'DraftOrder',
      from: 'DraftOrder',
      table: 'draftOrders',
      fields: {
        status: sum('status'),
        subtotal: sum('subtotal'),
        tax: sum('tax'),
        shipping: sum('shipping'),
        discount: sum('discount'),
        total: sum('total'),
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('position'), ascending('id')] },
        shippingAddress: { kind: 'embedded', projection: 'DraftOrderAddress', absentWhen: ['line1'] },
      },
    },
    DraftOrderAddress: {
      type: 'Address',
      from: 'DraftOrder',
      fields: { isDefault: { kind: 'constant', value: false } },
    },
    DraftOrderItem: { type: 'DraftOrderItem', from: 'DraftOrderItem' },
    OrderHistoryEntry: { type: 'OrderHistoryEntry', from: 'OrderHistoryEntry' },
  },
  extensions: {
    Product: {
      orders: {
        kind: 'connection',
        relationship: 'productOrders',
        through: 'order',
        link: { id: 'orderId', columns: ['createdAt'] },
        connection: orders,
      },
      recentOrders: {
        kind: 'list',
        relationship: 'productOrders',
        through: 'order',
        orderBy: [descending('createdAt'), descending('orderId')],
        limit: { argument: 'limit', preset: 10 },
      },
      totalSold: { kind: 'path', relationship: 'sales', column: 'totalSold', absent: 0 },
    },
    Customer: {
      orders: { kind: 'connection', relationship: 'orders', connection: orders },
    },
  },
}
