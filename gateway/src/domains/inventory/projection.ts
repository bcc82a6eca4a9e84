import { ascending, type Condition } from '../../projection/condition.ts'
import {
  anyOf,
  atLeast,
  atMost,
  equals,
  keptFilters,
  type Filter,
  idEquals,
  statusFilters,
} from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection, FieldProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

/** One request looks at no more SKUs than a page has items. */
const maxSkus = 100

const skus = anyOf('sku', 'String', maxSkus)

const warehouses: ConnectionProjection = {
  projection: 'Warehouse',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    CODE: { column: 'code', type: 'String' },
    PRIORITY: { column: 'priority', type: 'Int' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: { active: equals('active', 'Boolean'), ...keptFilters, ...updatedAtFilters },
}

const createdAt = { CREATED_AT: { column: 'created_at', type: 'timestamptz' } } as const
const latestFirst = { sortBy: 'CREATED_AT', direction: 'desc' } as const
const ofSku: Filter = { condition: (sku) => ({ stock_item: { sku: { _eq: sku('String!') } } }) }

const stockMovements: ConnectionProjection = {
  projection: 'StockMovement',
  sortFields: createdAt,
  preset: latestFirst,
  filters: {
    kind: equals('kind', 'String'),
    sku: ofSku,
    warehouseId: idEquals('warehouse_id'),
    referenceId: idEquals('reference_id'),
    startDate: atLeast('created_at', 'timestamptz'),
    endDate: atMost('created_at', 'timestamptz'),
  },
}

const transfers: ConnectionProjection = {
  projection: 'Transfer',
  sortFields: { ...createdAt, ...updatedAtSort },
  preset: latestFirst,
  filters: {
    ...statusFilters(),
    fromWarehouseId: idEquals('from_warehouse_id'),
    toWarehouseId: idEquals('to_warehouse_id'),
    ...updatedAtFilters,
  },
}

const incomingStocks: ConnectionProjection = {
  projection: 'IncomingStock',
  sortFields: { ...createdAt, ...updatedAtSort },
  preset: latestFirst,
  filters: { ...statusFilters(), sku: ofSku, warehouseId: idEquals('warehouse_id'), ...updatedAtFilters },
}

const reservations: ConnectionProjection = {
  projection: 'Reservation',
  sortFields: { ...createdAt, ...updatedAtSort },
  preset: latestFirst,
  filters: {
    orderId: idEquals('order_id'),
    sku: { condition: (sku) => ({ lines: { stock_item: { sku: { _eq: sku('String!') } } } }) },
    ...statusFilters(),
    ...updatedAtFilters,
  },
}

const stockAlerts: ConnectionProjection = {
  projection: 'StockAlert',
  sortFields: { ...createdAt, ...updatedAtSort },
  preset: latestFirst,
  filters: { ...statusFilters(), ...updatedAtFilters },
}

const low: Condition = { needs_restock: { _eq: true } }

const lowStock: ConnectionProjection = {
  projection: 'LowStock',
  sortFields: createdAt,
  preset: latestFirst,
  filters: {},
  visible: { merchant: low, customer: low, guest: low },
}

const live = (column: string) => ({ kind: 'path', relationship: 'inventory', column }) as const

const sku = { sku: { kind: 'path', relationship: 'stock_item', column: 'sku' } } as const

const ledger = {
  stockMovements: { kind: 'connection', relationship: 'stock_movements', connection: stockMovements },
} as const

const incoming = {
  incoming: {
    kind: 'list',
    relationship: 'incoming',
    where: { awaited: { _is_null: false } },
    orderBy: [ascending('expected_date'), ascending('id')],
  },
} as const

const byWarehouse = (projection: string): Readonly<Record<string, FieldProjection>> => ({
  warehouses: {
    kind: 'list',
    relationship: 'warehouses',
    projection,
    orderBy: [ascending('warehouse.priority'), ascending('warehouse_id')],
  },
})

export const inventory: DomainProjection = {
  subscriptions: {
    inventory: {
      kind: 'lookup',
      projection: 'SkuInventory',
      by: { sku: equals('sku', 'String') },
    },
  },
  queries: {
    inventory: {
      kind: 'list',
      projection: 'SkuInventory',
      filters: { skus },
      orderBy: [ascending('sku')],
      limit: maxSkus,
    },
    warehouse: {
      kind: 'lookup',
      projection: 'Warehouse',
      by: { id: idEquals('id'), code: equals('code', 'String'), externalId: equals('external_id', 'String') },
    },
    warehouses: { kind: 'connection', connection: warehouses },
    lowStock: { kind: 'connection', connection: lowStock },
    stockMovements: { kind: 'connection', connection: stockMovements },
    transfer: { kind: 'lookup', projection: 'Transfer', by: { id: idEquals('id') } },
    transfers: { kind: 'connection', connection: transfers },
    incomingStock: {
      kind: 'lookup',
      projection: 'IncomingStock',
      by: { id: idEquals('id') },
    },
    incomingStocks: { kind: 'connection', connection: incomingStocks },
    stockAlert: { kind: 'lookup', projection: 'StockAlert', by: { id: idEquals('id') } },
    stockAlerts: { kind: 'connection', connection: stockAlerts },
    reservations: { kind: 'connection', connection: reservations },
    reservation: {
      kind: 'lookup',
      projection: 'Reservation',
      by: { id: idEquals('id') },
    },
  },
  types: {
    Inventory: {
      type: 'Inventory',
      table: 'inventory_product_inventory',
      fields: { ...byWarehouse('ProductWarehouseInventory'), ...ledger },
    },
    VariantInventory: {
      type: 'Inventory',
      table: 'inventory_sku_inventory',
      fields: { ...byWarehouse('StockLevel'), ...ledger },
    },
    ProductAvailability: {
      type: 'ProductAvailability',
      table: 'inventory_product_inventory',
      fields: { quantity: { kind: 'column', column: 'shown_quantity' } },
    },
    VariantAvailability: {
      type: 'ProductAvailability',
      table: 'inventory_sku_inventory',
      fields: { quantity: { kind: 'column', column: 'shown_quantity' } },
    },
    ProductWarehouseInventory: { type: 'WarehouseInventory', table: 'inventory_product_warehouse_inventory' },
    StockLevel: { type: 'WarehouseInventory', table: 'inventory_stock_level' },
    Warehouse: {
      type: 'Warehouse',
      table: 'inventory_warehouse',
      fields: {
        location: { kind: 'object', relationship: 'location', projection: 'WarehouseAddress' },
        ...ledger,
      },
    },
    WarehouseAddress: {
      type: 'Address',
      table: 'inventory_warehouse_address',
      fields: {
        id: { kind: 'column', column: 'warehouse_id' },
        isDefault: { kind: 'constant', value: false },
      },
    },
    SkuInventory: {
      type: 'SkuInventory',
      table: 'inventory_sku_inventory',
      fields: { ...incoming, ...ledger },
    },
    LowStock: {
      type: 'SkuInventory',
      table: 'inventory_stock_item',
      fields: {
        available: live('available'),
        reserved: live('reserved'),
        inTransit: live('in_transit'),
        lowStockThreshold: live('low_stock_threshold'),
        isLowStock: live('is_low_stock'),
        ...incoming,
        ...ledger,
      },
    },
    IncomingStock: { type: 'IncomingStock', table: 'inventory_incoming_stock', fields: sku },
    StockMovement: { type: 'StockMovement', table: 'inventory_stock_movement', fields: sku },
    StockAlert: { type: 'StockAlert', table: 'inventory_stock_alert', fields: sku },
    Transfer: {
      type: 'Transfer',
      table: 'inventory_transfer',
      fields: { lines: { kind: 'list', relationship: 'lines', orderBy: [ascending('stock_item_id')] } },
    },
    TransferLine: {
      type: 'TransferLine',
      table: 'inventory_transfer_line',
      fields: {
        ...sku,
        receivedQuantity: { kind: 'path', relationship: 'incoming', column: 'received_quantity', absent: 0 },
      },
    },
    Reservation: {
      type: 'Reservation',
      table: 'inventory_reservation',
      fields: {
        lines: {
          kind: 'list',
          relationship: 'lines',
          orderBy: [ascending('stock_item_id'), ascending('warehouse_id')],
        },
      },
    },
    ReservationLine: {
      type: 'ReservationLine',
      table: 'inventory_reservation_line',
      fields: sku,
    },
  },
  extensions: {
    Product: {
      inventory: { kind: 'object', relationship: 'inventory' },
      availability: { kind: 'object', relationship: 'inventory', projection: 'ProductAvailability' },
    },
    ProductVariant: {
      inventory: { kind: 'object', relationship: 'inventory', projection: 'VariantInventory' },
      availability: { kind: 'object', relationship: 'inventory', projection: 'VariantAvailability' },
    },
  },
}
