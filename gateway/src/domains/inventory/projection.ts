import { ascending } from '../../projection/condition.ts'
import { outOfRange } from '../../errors/catalogue-error.ts'
import { equals, type Filter, idEquals } from '../../projection/filter.ts'
import {
  type ConnectionProjection,
  type DomainProjection,
  type FieldProjection,
} from '../../projection/types.ts'

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

const byWarehouse = (projection: string): Readonly<Record<string, FieldProjection>> => ({
  warehouses: {
    kind: 'list',
    relationship: 'warehouses',
    projection,
    orderBy: [ascending('warehouse.priority'), ascending('warehouseId')],
  },
})

export const inventory: DomainProjection = {
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
      fields: byWarehouse('ProductWarehouseInventory'),
    },
    VariantInventory: { type: 'Inventory', from: 'SkuInventory', fields: byWarehouse('StockLevel') },
    ProductWarehouseInventory: { type: 'WarehouseInventory', from: 'ProductWarehouseInventory' },
    StockLevel: { type: 'WarehouseInventory', from: 'StockLevel' },
    Warehouse: {
      type: 'Warehouse',
      from: 'Warehouse',
      fields: { location: { kind: 'object', relationship: 'location', projection: 'WarehouseAddress' } },
    },
    WarehouseAddress: {
      type: 'Address',
      from: 'WarehouseAddress',
      fields: {
        id: { kind: 'column', column: 'warehouseId' },
        isDefault: { kind: 'constant', value: false },
      },
    },
    SkuInventory: {
      type: 'SkuInventory',
      from: 'SkuInventory',
      fields: {
        incoming: {
          kind: 'list',
          relationship: 'incoming',
          where: { receivedAt: { _is_null: true } },
          orderBy: [ascending('expectedDate'), ascending('id')],
        },
      },
    },
    IncomingStock: { type: 'IncomingStock', from: 'IncomingStock' },
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
      fields: { sku: { kind: 'path', relationship: 'stockItem', column: 'sku' } },
    },
  },
  extensions: {
    Product: { inventory: { kind: 'object', relationship: 'inventory' } },
    ProductVariant: {
      inventory: { kind: 'object', relationship: 'inventory', projection: 'VariantInventory' },
    },
  },
}
