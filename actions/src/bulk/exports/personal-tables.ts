/**
 * Tables that refer to customers, or to addresses of people, and are not in the export of a person's data, each with the
 * reason. The others are in the view bulk.customer_record; a test compares both with the database's catalog.
 */
export const notExported: Readonly<Record<string, string>> = {
  'analytics.first_purchase': 'When the first of the orders was paid, which are exported',
  'booking.appointment_resource': 'The rooms and things of an appointment, which is exported',
  'booking.staff_member': 'The merchant’s staff',
  'bulk.export_part': 'Where parts of an export’s file are, which is exported',
  'email.unsubscribe_token': 'The secret in a message’s link; the messages are exported',
  'email.unsubscribed_address':
    'An address that wants no campaigns; the customer’s marketingOptIn is exported',
  'identity.guest_check': 'When it is looked at whether a guest has left nothing',
  'identity.refresh_token': 'Hashes of secrets; their sessions are exported',
  'identity.user': 'The merchant’s users',
  'inventory.reservation': 'The stock for an order, which is exported',
  'inventory.reservation_line': 'The stock for an order, which is exported',
  'merchant.merchant': 'The merchant',
  'merchant.sender': 'The merchant’s own addresses',
  'operator.sign_up': 'People who ask the operator for a shop',
  'ordering.order_search': 'The words by which orders are found; the orders are exported',
  'ordering.product_order': 'An index of orders by product; the orders are exported',
}
