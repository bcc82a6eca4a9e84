import { ascending, descending } from '../../projection/condition.ts'
import { equals, idEquals } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'

const payments: ConnectionProjection = {
  projection: 'Payment',
  sortFields: {
    AMOUNT: { column: 'amount', type: 'bigint' },
    CREATED_AT: { column: 'createdAt', type: 'timestamptz' },
    UPDATED_AT: { column: 'updatedAt', type: 'timestamptz' },
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    orderId: idEquals('orderId'),
    status: equals('status', 'String'),
    method: equals('method', 'String'),
    attention: equals('attention', 'String'),
  },
}

export const payment: DomainProjection = {
  queries: {
    payment: { kind: 'lookup', table: 'payments', projection: 'Payment', by: { id: idEquals('id') } },
    payments: { kind: 'connection', table: 'payments', connection: payments },
  },
  types: {
    Payment: {
      type: 'Payment',
      from: 'Payment',
      fields: {
        refunds: {
          kind: 'list',
          relationship: 'refunds',
          orderBy: [ascending('createdAt'), ascending('id')],
        },
      },
    },
    Refund: {
      type: 'Refund',
      from: 'Refund',
      table: 'refunds',
      fields: {
        items: { kind: 'list', relationship: 'items', orderBy: [ascending('orderItem.position')] },
      },
    },
    RefundItem: { type: 'RefundItem', from: 'RefundLine' },
  },
  extensions: {
    Order: {
      payment: {
        kind: 'first',
        relationship: 'payments',
        orderBy: [descending('createdAt'), descending('id')],
      },
    },
  },
}
