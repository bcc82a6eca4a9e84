import { ascending, type Condition } from '../../projection/condition.ts'
import { outOfRange } from '@commerce-graph/contract/errors'
import { atLeast, atMost, equals, type Filter, idEquals } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection, FieldProjection } from '../../projection/types.ts'

/** One request looks at no more SKUs than a page has items. */
const maxSkus = 100

const skus: Filter = {
  condition: (value) => ({ sku: { _in: value('[String!]!') } }),
  check: (value, field) => {
    const count = Array.isArray(value) ? value.length : 0
    return count < 1 || count > maxSkus ? outOfRange(field, count, 1, maxSkus) : undefined
  },
}

const warehouses: ConnectionProjection = {
  projection: 'Warehouse',
  sortFields: {
    NAME: { column: 'name', type: 'String' },
    CODE: { column: 'code', type: 'String' },
    PRIORITY: { column: 'priority', type: 'Int' },
  },
  preset: { sortBy: 'NAME', direction: 'asc' },
  filters: { active: equals('active', 'Boolean') },
}

const createdAt = { CREATED_AT: { column: 'createdAt', type: 'timestamptz' } } as const
const latestFirst = { sortBy: 'CREATED_AT', direction: 'desc' } as const
const ofSku: Filter = { condition: (sku) => ({ stockItem: { sku: { _eq: sku('String!') } } }) }
const status = equals('status', 'String')

const stockMovements: ConnectionProjection = {
  projection: 'StockMovement',
  sortFields: createdAt,
  preset: latestFirst,
  filters: {
    kind: equals('kind', 'String'),
    sku: ofSku,
    warehouseId: idEquals('warehouseId'),
    referenceId: idEquals('referenceId'),
    startDate: atLeast('createdAt', 'timestamptz'),
    endDate: atMost('createdAt', 'timestamptz'),
  },
}

const transfers: ConnectionProjection = {
  projection: 'Transfer',
  sortFields: { ...createdAt, UPDATED_AT: { column: 'updatedAt', type: 'timestamptz' } },
  preset: latestFirst,
  filters: {
    status,
    fromWarehouseId: idEquals('fromWarehouseId'),
    toWarehouseId: idEquals('toWarehouseId'),
  },
}

const incomingStocks: ConnectionProjection = {
  projection: 'IncomingStock',
  sortFields: createdAt,
  preset: latestFirst,
  filters: { status, sku: ofSku, warehouseId: idEquals('warehouseId') },
}

const stockAlerts: ConnectionProjection = {
  projection: 'StockAlert',
  sortFields: createdAt,
  preset: latestFirst,
  filters: { status },
}

/** What is low and matters: a product that has variants has no stock of its own. */
const low: Condition = {
  inventory: { isLowStock: { _eq: true } },
  sku: { _is_null: false },
  product: { status: { _neq: 'ARCHIVED' } },
  _or: [
    { variantId: { _is_null: false } },
    { _not: { product: { variants: { deletedAt: { _is_null: true } } } } },
  ],
}

const lowStock: ConnectionProjection = {
  projection: 'LowStock',
  sortFields: createdAt,
  preset: latestFirst,
  filters: {},
  visible: { merchant: low, customer: low },
}

const live = (column: string) => ({ kind: 'path', relationship: 'inventory', column }) as const

const sku = { sku: { kind: 'path', relationship: 'stockItem', column: 'sku' } } as const

const ledger = {
  stockMovements: { kind: 'connection', relationship: 'stockMovements', connection: stockMovements },
} as const

const incoming = {
  incoming: {
    kind: 'list',
    relationship: 'incoming',
    where: { awaited: { _is_null: false } },
    orderBy: [ascending('expectedDate'), ascending('id')],
  },
} as const

const byWarehouse = (projection: string): Readonly<Record<string, FieldProjection>> => ({
  warehouses: {
    kind: 'list',
    relationship: 'warehouses',
    projection,
    orderBy: [ascending('warehouse.priority'), ascending('warehouseId')],
  },
})

export const inventory: DomainProjection = {
  subscriptions: {
    inventory: {
      kind: 'lookup',
      table: 'skuInventories',
      projection: 'SkuInventory',
      by: { sku: equals('sku', 'String') },
    },
  },
  queries: {
    inventory: {
      kind: 'list',
      table: 'skuInventories',
      projection: 'SkuInventory',
      filters: { skus },
      orderBy: [ascending('sku')],
      limit: maxSkus,
    },
    warehouse: { kind: 'lookup', table: 'warehouses', projection: 'Warehouse', by: { id: idEquals('id') } },
    warehouses: { kind: 'connection', table: 'warehouses', connection: warehouses },
    lowStock: { kind: 'connection', table: 'stockItems', connection: lowStock },
    stockMovements: { kind: 'connection', table: 'stockMovements', connection: stockMovements },
    transfer: { kind: 'lookup', table: 'transfers', projection: 'Transfer', by: { id: idEquals('id') } },
    transfers: { kind: 'connection', table: 'transfers', connection: transfers },
    incomingStock: {
      kind: 'lookup',
      table: 'incomingStocks',
      projection: 'IncomingStock',
      by: { id: idEquals('id') },
    },
    incomingStocks: { kind: 'connection', table: 'incomingStocks', connection: incomingStocks },
    stockAlerts: { kind: 'connection', table: 'stockAlerts', connection: stockAlerts },
    reservation: {
      kind: 'lookup',
      table: 'reservations',
      projection: 'Reservation',
      by: { id: idEquals('id') },
    },
  },
  types: {
    Inventory: {
      type: 'Inventory',
      from: 'ProductInventory',
      fields: { ...byWarehouse('ProductWarehouseInventory'), ...ledger },
    },
    VariantInventory: {
      type: 'Inventory',
      from: 'SkuInventory',
      fields: { ...byWarehouse('StockLevel'), ...ledger },
    },
    ProductWarehouseInventory: { type: 'WarehouseInventory', from: 'ProductWarehouseInventory' },
    StockLevel: { type: 'WarehouseInventory', from: 'StockLevel' },
    Warehouse: {
      type: 'Warehouse',
      from: 'Warehouse',
      fields: {
        location: { kind: 'object', relationship: 'location', projection: 'WarehouseAddress' },
        ...ledger,
      },
    },
    WarehouseAddress: {
      type: 'Address',
      from: 'WarehouseAddress',
      fields: {
        id: { kind: 'column', column: 'warehouseId' },
        isDefault: { kind: 'constant', value: false },
      },
    },
    SkuInventory: { type: 'SkuInventory', from: 'SkuInventory', fields: { ...incoming, ...ledger } },
    LowStock: {
      type: 'SkuInventory',
      from: 'StockItem',
      fields: {
        available: live('available'),
        reserved: live('reserved'),
        inTransit: live('inTransit'),
        lowStockThreshold: live('lowStockThreshold'),
        isLowStock: live('isLowStock'),
        ...incoming,
        ...ledger,
      },
    },
    IncomingStock: { type: 'IncomingStock', from: 'IncomingStock', fields: sku },
    StockMovement: { type: 'StockMovement', from: 'StockMovement', table: 'stockMovements', fields: sku },
    StockAlert: { type: 'StockAlert', from: 'StockAlert', table: 'stockAlerts', fields: sku },
    Transfer: {
      type: 'Transfer',
      from: 'Transfer',
      fields: { lines: { kind: 'list', relationship: 'lines', orderBy: [ascending('stockItemId')] } },
    },
    TransferLine: {
      type: 'TransferLine',
      from: 'TransferLine',
      fields: {
        ...sku,
        receivedQuantity: { kind: 'path', relationship: 'incoming', column: 'receivedQuantity', absent: 0 },
      },
    },
    Reservation: {
      type: 'Reservation',
      from: 'Reservation',
      fields: {
        lines: {
          kind: 'list',
          relationship: 'lines',
          orderBy: [ascending('stockItemId'), ascending('warehouseId')],
        },
      },
    },
    ReservationLine: {
      type: 'ReservationLine',
      from: 'ReservationLine',
      fields: sku,
    },
  },
  extensions: {
    Product: { inventory: { kind: 'object', relationship: 'inventory' } },
    ProductVariant: {
      inventory: { kind: 'object', relationship: 'inventory', projection: 'VariantInventory' },
    },
  },
}
