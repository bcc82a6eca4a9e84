import { ascending, descending } from '../../projection/condition.ts'
import {
  atLeast,
  atMost,
  equals,
  hasAll,
  idEquals,
  keptFilters,
  searchIn,
  statusFilters,
} from '../../projection/filter.ts'
import type {
  ConnectionProjection,
  DomainProjection,
  FieldProjection,
  Lookup,
} from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const inText = searchIn({ text: 'String' })

const orders: ConnectionProjection = {
  projection: 'Order',
  sortFields: {
    ORDER_NUMBER: { column: 'order_number', type: 'String' },
    TOTAL: { column: 'total', type: 'bigint' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
    STATUS: { column: 'status', type: 'String' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    customerId: idEquals('customer_id'),
    ...statusFilters(),
    startDate: atLeast('created_at', 'timestamptz'),
    endDate: atMost('created_at', 'timestamptz'),
    minTotal: atLeast('total', 'bigint'),
    maxTotal: atMost('total', 'bigint'),
    searchQuery: {
      ...inText,
      condition: (value) => ({ search: inText.condition(value) }),
      sortThrough: ['search', 'order'],
    },
    orderNumber: equals('order_number', 'String'),
    tags: hasAll('tags'),
    fulfillmentStatus: { condition: (value) => ({ fulfillment: { status: { _eq: value('String!') } } }) },
    ...keptFilters,
    ...updatedAtFilters,
  },
}

const byTime = { CREATED_AT: { column: 'created_at', type: 'timestamptz' } } as const

const returns: ConnectionProjection = {
  projection: 'OrderReturn',
  sortFields: { ...byTime, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: { orderId: idEquals('order_id'), ...statusFilters(), ...updatedAtFilters },
}

const shipments: ConnectionProjection = {
  projection: 'Shipment',
  sortFields: { ...byTime, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    orderId: idEquals('order_id'),
    trackingNumber: equals('tracking_number', 'String'),
    ...statusFilters(),
    ...updatedAtFilters,
  },
}

/** A row that has the id of the method and, whether or not that is still offered, its name. */
const shippingMethod = {
  kind: 'embedded',
  projection: 'ChosenShippingMethod',
  absentWhen: ['shipping_method_id'],
} as const

const history: ConnectionProjection = {
  projection: 'OrderHistoryEntry',
  sortFields: byTime,
  preset: { sortBy: 'CREATED_AT', direction: 'asc' },
  filters: {},
}

const drafts: ConnectionProjection = {
  projection: 'DraftOrder',
  sortFields: { ...byTime, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    customerId: idEquals('customer_id'),
    ...statusFilters((condition) => ({ sums: condition })),
    ...updatedAtFilters,
  },
}

/** Of a draft, computed as things are now. */
const sum = (column: string): FieldProjection => ({ kind: 'path', relationship: 'sums', column })

const oldestFirst = [ascending('created_at'), ascending('id')]

const order: Lookup = {
  kind: 'lookup',
  projection: 'Order',
  by: {
    id: idEquals('id'),
    orderNumber: equals('order_number', 'String'),
    externalId: equals('external_id', 'String'),
  },
}

export const ordering: DomainProjection = {
  subscriptions: {
    order,
    orderCreated: {
      kind: 'stream',
      projection: 'Order',
      // A merchant's orders get their numbers one after the other, under a lock that is held until they are committed. So no order
      // ever becomes visible below a number that is visible already, which can't be said of a time.
      // Imported orders, whose numbers come in any order, have none here.
      cursor: { column: 'number_here', type: 'String', argument: 'after' },
    },
  },
  queries: {
    order,
    orders: { kind: 'connection', connection: orders },
    shipment: { kind: 'lookup', projection: 'Shipment', by: { id: idEquals('id') } },
    shipments: { kind: 'connection', connection: shipments },
    orderReturn: {
      kind: 'lookup',
      projection: 'OrderReturn',
      by: { id: idEquals('id'), returnNumber: equals('return_number', 'String') },
    },
    draftOrder: {
      kind: 'lookup',
      projection: 'DraftOrder',
      by: { id: idEquals('id') },
    },
    draftOrders: { kind: 'connection', connection: drafts },
    orderReturns: { kind: 'connection', connection: returns },
  },
  types: {
    Order: {
      type: 'Order',
      table: 'ordering_order',
      fields: {
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('position'), ascending('id')] },
        itemCount: {
          kind: 'aggregate',
          relationship: 'items',
          aggregate: { function: 'sum', column: 'quantity', empty: 0 },
        },
        shippingAddress: { kind: 'object', relationship: 'shipping_address', projection: 'OrderAddress' },
        shipments: { kind: 'list', relationship: 'shipments', orderBy: oldestFirst },
        returns: { kind: 'list', relationship: 'returns', orderBy: oldestFirst },
        shippingMethod,
        history: { kind: 'connection', relationship: 'history', connection: history },
        billingAddress: { kind: 'object', relationship: 'billing_address', projection: 'OrderAddress' },
      },
    },
    OrderItem: {
      type: 'OrderItem',
      table: 'ordering_order_item',
      fields: { properties: { kind: 'stored', column: 'properties' } },
    },
    OrderAddress: {
      type: 'Address',
      table: 'ordering_order_address',
      fields: { isDefault: { kind: 'constant', value: false } },
    },
    ChosenShippingMethod: {
      type: 'ChosenShippingMethod',
      table: 'ordering_order',
      fields: {
        id: { kind: 'column', column: 'shipping_method_id' },
        name: { kind: 'column', column: 'shipping_method_name' },
      },
    },
    Fulfillment: { type: 'Fulfillment', table: 'ordering_fulfillment' },
    Shipment: {
      type: 'Shipment',
      table: 'ordering_shipment',
      fields: {
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('order_item.position')] },
      },
    },
    ShipmentItem: { type: 'ShipmentItem', table: 'ordering_shipment_line' },
    OrderReturn: {
      type: 'OrderReturn',
      table: 'ordering_order_return',
      fields: { items: { kind: 'list', relationship: 'items', orderBy: [ascending('position')] } },
    },
    ReturnItem: { type: 'ReturnItem', table: 'ordering_return_line' },
    DraftOrder: {
      type: 'DraftOrder',
      table: 'ordering_draft_order',
      fields: {
        status: sum('status'),
        subtotal: sum('subtotal'),
        tax: sum('tax'),
        shipping: sum('shipping'),
        discount: sum('discount'),
        total: sum('total'),
        shippingMethod,
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('position'), ascending('id')] },
        shippingAddress: { kind: 'embedded', projection: 'DraftOrderAddress', absentWhen: ['line1'] },
      },
    },
    DraftOrderAddress: {
      type: 'Address',
      table: 'ordering_draft_order',
      fields: { isDefault: { kind: 'constant', value: false } },
    },
    DraftOrderItem: {
      type: 'DraftOrderItem',
      table: 'ordering_draft_order_item',
      fields: { properties: { kind: 'stored', column: 'properties' } },
    },
    OrderHistoryEntry: { type: 'OrderHistoryEntry', table: 'ordering_history_entry' },
  },
  extensions: {
    Product: {
      orders: {
        kind: 'connection',
        relationship: 'product_orders',
        through: 'order',
        link: { id: 'order_id', columns: ['created_at'] },
        connection: orders,
      },
      recentOrders: {
        kind: 'list',
        relationship: 'product_orders',
        through: 'order',
        orderBy: [descending('created_at'), descending('order_id')],
        limit: { argument: 'limit', preset: 10 },
      },
      totalSold: { kind: 'path', relationship: 'sales', column: 'total_sold', absent: 0 },
    },
    Customer: {
      orders: { kind: 'connection', relationship: 'orders', connection: orders },
    },
  },
}
