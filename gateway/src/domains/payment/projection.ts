import { ascending, descending } from '../../projection/condition.ts'
import { equals, idEquals } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const payments: ConnectionProjection = {
  projection: 'Payment',
  sortFields: {
    AMOUNT: { column: 'amount', type: 'bigint' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    UPDATED_AT: { column: 'updated_at', type: 'timestamptz' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    orderId: idEquals('order_id'),
    status: equals('status', 'String'),
    method: equals('method', 'String'),
    attention: equals('attention', 'String'),
  },
}

export const payment: DomainProjection = {
  queries: {
    payment: { kind: 'lookup', projection: 'Payment', by: { id: idEquals('id') } },
    payments: { kind: 'connection', connection: payments },
  },
  types: {
    Payment: {
      type: 'Payment',
      table: 'payment_payment',
      fields: {
        refunds: {
          kind: 'list',
          relationship: 'refunds',
          orderBy: [ascending('created_at'), ascending('id')],
        },
      },
    },
    Refund: {
      type: 'Refund',
      table: 'payment_refund',
      fields: {
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('order_item.position')] },
      },
    },
    RefundItem: { type: 'RefundItem', table: 'payment_refund_line' },
  },
  extensions: {
    Order: {
      payment: {
        kind: 'first',
        relationship: 'payments',
        orderBy: [descending('created_at'), descending('id')],
      },
    },
  },
}
