import { addressValues } from '../../mutation/address-values.ts'
import type { MutationDefinition } from '../../mutation/definition.ts'
import {
  absent,
  byId,
  change,
  creation,
  deletion,
  externalIdTaken,
  insertOne,
  keptFields,
  pick,
  remove,
  table,
  update,
  valueOf,
} from '../../mutation/rows.ts'
import { toUuid } from '../../projection/filter.ts'

const warehouseTable = table('inventory_warehouse', { counter: 'priority' })
const warehouseAddressTable = table('inventory_warehouse_address')

const warehouseColumns = ['name', 'code', 'active', 'priority', ...keptFields] as const

export const inventoryMutations: Readonly<Record<string, MutationDefinition>> = {
  createWarehouse: creation<'createWarehouse'>({
    record: 'Warehouse',
    what: 'Warehouse',
    lookUps: ({ code, externalId }) => [
      absent(warehouseTable, 'code', valueOf('code', code), 'Warehouse'),
      externalIdTaken(warehouseTable, 'Warehouse', externalId),
    ],
    write: (input) =>
      insertOne(warehouseTable, {
        ...pick(input, warehouseColumns, 'left out'),
        location: { data: addressValues(input.location, 'left out') },
      }),
  }),
  updateWarehouse: change<'updateWarehouse'>({
    record: 'Warehouse',
    what: 'Warehouse',
    lookUps: ({ code, externalId }, { id }) => [
      absent(warehouseTable, 'code', valueOf('code', code), 'Warehouse', byId(id)),
      externalIdTaken(warehouseTable, 'Warehouse', externalId, id),
    ],
    write: (input, { id }) => {
      const { location } = input
      // An address is given as a whole, so what it leaves out is emptied.
      const emptied = { recipient_name: null, company: null, line2: null, phone: null }
      const before =
        location == null
          ? []
          : [
              update(
                warehouseAddressTable,
                { warehouse_id: { _eq: toUuid(id) } },
                { ...emptied, ...addressValues(location) },
              ),
            ]
      return {
        before,
        record: update(warehouseTable, byId(id), pick(input, warehouseColumns), before.length > 0),
      }
    },
  }),
  deleteWarehouse: deletion('Warehouse', (id) => remove(warehouseTable, byId(id))),
}
