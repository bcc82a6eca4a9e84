import { ascending, descending } from '../../projection/condition.ts'
import { equals, idEquals, idFilter, statusFilters } from '../../projection/filter.ts'
import type { ConnectionProjection, DomainProjection } from '../../projection/types.ts'
import { updatedAtFilters, updatedAtSort } from '../../projection/updated-at.ts'

const payments: ConnectionProjection = {
  projection: 'Payment',
  sortFields: {
    AMOUNT: { column: 'amount', type: 'bigint' },
    CREATED_AT: { column: 'created_at', type: 'timestamptz' },
    ...updatedAtSort,
  },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    orderId: idEquals('order_id'),
    appointmentId: idEquals('appointment_id'),
    ...statusFilters(),
    method: equals('method', 'String'),
    attention: equals('attention', 'String'),
    reference: equals('reference', 'String'),
    ...updatedAtFilters,
  },
}

const refunds: ConnectionProjection = {
  projection: 'Refund',
  sortFields: { CREATED_AT: { column: 'created_at', type: 'timestamptz' }, ...updatedAtSort },
  preset: { sortBy: 'CREATED_AT', direction: 'desc' },
  filters: {
    paymentId: idEquals('payment_id'),
    orderId: idFilter((id) => ({ payment: { order_id: { _eq: id } } })),
    ...statusFilters(),
    ...updatedAtFilters,
  },
}

/** A merchant connects an account when it changes the processor or its keys. */
const maxAccounts = 250

export const payment: DomainProjection = {
  queries: {
    payment: { kind: 'lookup', projection: 'Payment', by: { id: idEquals('id') } },
    payments: { kind: 'connection', connection: payments },
    refund: { kind: 'lookup', projection: 'Refund', by: { id: idEquals('id') } },
    refunds: { kind: 'connection', connection: refunds },
    paymentOptions: {
      kind: 'list',
      projection: 'PaymentOption',
      filters: {},
      orderBy: [ascending('position'), ascending('id')],
      limit: maxAccounts,
    },
    paymentAccounts: {
      kind: 'list',
      projection: 'PaymentAccount',
      filters: {},
      orderBy: [descending('created_at'), descending('id')],
      limit: maxAccounts,
    },
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
        disputes: {
          kind: 'list',
          relationship: 'disputes',
          orderBy: [ascending('created_at'), ascending('id')],
        },
      },
    },
    PaymentOption: { type: 'PaymentOption', table: 'payment_payment_option' },
    SavedPaymentMethod: { type: 'SavedPaymentMethod', table: 'payment_saved_payment_method' },
    AvailablePaymentMethod: { type: 'AvailablePaymentMethod', table: 'payment_cart_option' },
    Dispute: { type: 'Dispute', table: 'payment_dispute' },
    PaymentAccount: { type: 'PaymentAccount', table: 'payment_account' },
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
    Cart: {
      availablePaymentMethods: {
        kind: 'list',
        relationship: 'payment_options',
        orderBy: [ascending('position'), ascending('method')],
      },
    },
    Customer: {
      savedPaymentMethods: {
        kind: 'list',
        relationship: 'saved_payment_methods',
        where: { offered: { _eq: true } },
        orderBy: [descending('is_default'), descending('created_at'), descending('id')],
      },
    },
    Appointment: {
      payments: {
        kind: 'list',
        relationship: 'payments',
        orderBy: [ascending('created_at'), ascending('id')],
      },
    },
    Order: {
      payment: {
        kind: 'first',
        relationship: 'payments',
        orderBy: [descending('taken'), descending('created_at'), descending('id')],
      },
      payments: {
        kind: 'list',
        relationship: 'payments',
        orderBy: [ascending('created_at'), ascending('id')],
      },
    },
  },
}
