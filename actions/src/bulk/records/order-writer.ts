import * as ordering from '../../sql/generated/ordering.ts'
import { batchOfOrders } from '../orders/batch-of-orders.ts'
import type { OrderRow } from '../orders/money-of-order.ts'
import { type PreparedOrder, prepareOrder } from '../orders/prepare-order.ts'
import { writtenRecords } from './refusals.ts'
import type { RecordWriter } from './record-writer.ts'

export interface PreparedOrderRow {
  readonly order: PreparedOrder
  readonly row: OrderRow
}

/** Orders with their history. One that is here is never changed. */
export const orderWriter: RecordWriter<PreparedOrderRow> = {
  checksSideBySide: false,
  maxRowsTried: 100,
  tables: [
    'ordering.order',
    'ordering.order_item',
    'ordering.order_address',
    'ordering.fulfillment',
    'ordering.shipment',
    'ordering.shipment_line',
    'ordering.history_entry',
    'ordering.product_order',
    'payment.payment',
    'payment.refund',
    'crm.customer',
    'catalog.product',
    'inventory.stock_item',
    'bulk.imported_record',
    'bulk.import_key',
  ],
  prepare({ values, fingerprint }) {
    // The values have the types that were written from the same rules.
    const row = values as unknown as OrderRow
    const found = prepareOrder(row, fingerprint)
    if (found.kind === 'invalid') return found
    const keys = [
      {
        kind: 'ORDER',
        key: row.externalId ?? row.orderNumber,
        field: row.externalId === null ? 'orderNumber' : 'externalId',
      },
      { kind: 'ORDER_NUMBER', key: row.orderNumber, field: 'orderNumber' },
    ]
    return { kind: 'prepared', record: { id: found.order.id, keys, prepared: { order: found.order, row } } }
  },
  async write(sql, records, { merchantId, checkOnly }) {
    const answers = await ordering.importOrders(sql, {
      merchantId,
      checkOnly,
      batch: batchOfOrders(records.map(({ prepared }) => prepared.order)),
    })
    const rows = new Map(records.map(({ id, prepared }) => [id, prepared.row]))
    return writtenRecords(
      answers.map((answer) => ({ ...answer, field: fieldOf(answer.reason, rows.get(answer.id)) })),
      (id, field) => {
        const row = rows.get(id)
        return (field === 'externalId' ? row?.externalId : null) ?? row?.orderNumber ?? ''
      },
    )
  },
}

function fieldOf(reason: string | null, row: OrderRow | undefined): string | null {
  if (reason === null) return null
  return reason === 'number_taken' || row?.externalId == null ? 'orderNumber' : 'externalId'
}
