import type postgres from '@commerce-graph/postgres-driver'

/**
 * Gives the demo shop a row in every tracked table that it has none in, something at the end of every relationship, and
 * its first shopper a row wherever shoppers have rows: where nothing is, nothing can leak.
 */
export async function fillEmptyTables(
  sql: postgres.Sql,
  merchantId: string,
  customerId: string,
): Promise<void> {
  await sql.begin(async (transaction) => {
    // What the shop's own rules would do with these rows is beside the point.
    await transaction`SET LOCAL session_replication_role = replica`
    await addRows(transaction, merchantId)
    await relateRows(transaction, merchantId)
    await giveToShopper(transaction, merchantId, customerId)
  })
}

async function addRows(sql: postgres.TransactionSql, merchantId: string): Promise<void> {
  await sql`INSERT INTO merchant.ip_allow_list_entry (merchant_id, network) VALUES (${merchantId}, '192.0.2.0/24')`
  await sql`
    INSERT INTO booking.reminder (merchant_id, appointment_id, start_time)
    SELECT merchant_id, id, start_time FROM booking.appointment WHERE merchant_id = ${merchantId} LIMIT 1`
  await sql`
    INSERT INTO cart.cart_address (merchant_id, cart_id, line1, city, state, postal_code, country)
    SELECT merchant_id, id, '1 Harbour Street', 'Portland', 'Maine', '04101', 'US'
    FROM cart.cart WHERE merchant_id = ${merchantId} LIMIT 1`
  // A device of the shop itself: those of customers are theirs alone.
  await sql`
    INSERT INTO notification.device (merchant_id, platform, token) VALUES (${merchantId}, 'WEB', 'of the matrix')`
  await sql`
    INSERT INTO notification.push_delivery (merchant_id, device_id, kind, subject_key, title, body, status)
    SELECT merchant_id, id, 'ORDER_SHIPPED', 'of the matrix', 'Shipped', 'Shipped', 'SENT'
    FROM notification.device WHERE merchant_id = ${merchantId} LIMIT 1`
  await sql`
    INSERT INTO email.link (merchant_id, kind, url)
    VALUES (${merchantId}, 'USER_INVITATION', 'https://example.com/{token}') ON CONFLICT DO NOTHING`
  await sql`
    INSERT INTO email.delivery (merchant_id, kind, campaign_id, subject_key, recipient, status, facts)
    SELECT merchant_id, 'CAMPAIGN', id, 'of the matrix', 'a@example.com', 'FAILED', '{}'
    FROM email.campaign WHERE merchant_id = ${merchantId} LIMIT 1`
  const entry = {
    merchant_id: merchantId,
    actor_kind: 'KEY',
    source: 'CONTRACT',
    operation: 'matrix',
    outcome: 'DONE',
  }
  await sql`SELECT audit.append(${sql.json([entry])})`
}

/** Relationships that no row of the demo shop has: the column that makes one, and the table that it leads to. */
const unused = [
  ['cart.cart', 'promotion_id', 'promotion.promotion'],
  ['cart.cart', 'shipping_method_id', 'merchant.shipping_method'],
  ['ordering.draft_order', 'order_id', 'ordering.order'],
  ['ordering.order', 'billing_address_id', 'ordering.order_address'],
  ['ordering.order', 'cart_id', 'cart.cart'],
  ['ordering.order', 'promotion_id', 'promotion.promotion'],
  ['email.campaign', 'segment_id', 'crm.segment'],
  ['inventory.stock_alert', 'customer_id', 'crm.customer'],
] as const

async function relateRows(sql: postgres.TransactionSql, merchantId: string): Promise<void> {
  for (const [table, column, target] of unused) {
    await sql`
      UPDATE ${sql(table)} SET ${sql(column)} = (
        SELECT id FROM ${sql(target)} WHERE merchant_id = ${merchantId} ORDER BY id LIMIT 1
      )
      WHERE (merchant_id, id) = (
        SELECT merchant_id, id FROM ${sql(table)} WHERE merchant_id = ${merchantId} ORDER BY id LIMIT 1
      )`
  }
  // A cart's promotion came by its code.
  await sql`
    UPDATE cart.cart c SET coupon_code = p.code FROM promotion.promotion p
    WHERE c.merchant_id = ${merchantId} AND p.merchant_id = c.merchant_id AND p.id = c.promotion_id AND c.coupon_code IS NULL`
  await sql`
    UPDATE ordering.draft_order_item i SET product_id = v.product_id, variant_id = v.id
    FROM (SELECT * FROM catalog.product_variant WHERE merchant_id = ${merchantId} LIMIT 1) v
    WHERE (i.merchant_id, i.id) = (
      SELECT merchant_id, id FROM ordering.draft_order_item WHERE merchant_id = ${merchantId} LIMIT 1
    )`
}

async function giveToShopper(
  sql: postgres.TransactionSql,
  merchantId: string,
  customerId: string,
): Promise<void> {
  await sql`UPDATE cart.cart SET customer_id = ${customerId} WHERE merchant_id = ${merchantId}`
  await sql`
    UPDATE booking.appointment SET customer_id = ${customerId}
    WHERE (merchant_id, id) IN (SELECT merchant_id, appointment_id FROM booking.reminder)`
  await sql`
    INSERT INTO notification.notification (merchant_id, customer_id, kind, subject_key, title, body)
    VALUES (${merchantId}, ${customerId}, 'ORDER_SHIPPED', 'of the matrix', 'Shipped', 'Shipped')`
}
