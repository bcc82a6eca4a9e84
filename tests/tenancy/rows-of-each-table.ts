import { randomUUID } from 'node:crypto'
import type { SecretBox } from '@commerce-graph/secret-box'
import type postgres from '@commerce-graph/postgres-driver'

/**
 * Fills every empty tracked table of the demo shop, the end of every relationship, and the first shopper's rows
 * wherever shoppers have rows: a leak can't show without rows.
 */
export async function fillEmptyTables(
  sql: postgres.Sql,
  { merchantId, customerId }: { readonly merchantId: string; readonly customerId: string },
  secretBox: SecretBox,
): Promise<void> {
  await sql.begin(async (transaction) => {
    // The shop's rules for these rows don't matter here, so triggers are off.
    await transaction`SET LOCAL session_replication_role = replica`
    await addRows(transaction, merchantId)
    await addAccount(transaction, merchantId, secretBox)
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
  // A device of the shop itself: only their customers see customers' devices.
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
    INSERT INTO merchant.sender (merchant_id, address, domain, token, next_check_at)
    VALUES (${merchantId}, 'hello@matrix.example', 'matrix.example', 'of the matrix', 'infinity')`
  await sql`
    INSERT INTO merchant.sender_record (merchant_id, purpose, type, name, value)
    VALUES (${merchantId}, 'OWNERSHIP', 'TXT', '_commerce-graph.matrix.example', 'commerce-graph=of the matrix')`
  await sql`
    INSERT INTO email.delivery (merchant_id, kind, campaign_id, subject_key, recipient, status, facts)
    SELECT merchant_id, 'CAMPAIGN', id, 'of the matrix', 'a@example.com', 'FAILED', '{}'
    FROM email.campaign WHERE merchant_id = ${merchantId} LIMIT 1`
  // The first one is seen with events:read alone; the others take the permission to read their record, too.
  await sql`
    INSERT INTO events.event (id, merchant_id, topic, record_type, record_id, version, permission, record, changes, occurred_at)
    SELECT '00000000-0000-7000-8000-000000000001', merchant_id, 'order.created', 'Order', id, '0', 'events:read', '{}', '{}', now()
    FROM ordering.order WHERE merchant_id = ${merchantId} LIMIT 1`
  await sql`
    INSERT INTO files.usage (merchant_id, bytes) VALUES (${merchantId}, 1000) ON CONFLICT DO NOTHING`
  const [image] = await sql<[{ id: string }]>`
    INSERT INTO files.file (
      merchant_id, purpose, status, file_name, content_type, size, stored_bytes, token, url, width, height, upload_expires_at
    )
    VALUES (
      ${merchantId}, 'IMAGE', 'READY', 'tent.png', 'image/png', 1000, 1000, md5('matrix'),
      'https://example.com/files/320.webp', 320, 200, now()
    )
    RETURNING id`
  await sql`
    INSERT INTO files.image_size (merchant_id, file_id, width, height, url)
    VALUES (${merchantId}, ${image.id}, 320, 200, 'https://example.com/files/320.webp')`
  await sql`INSERT INTO files.deleted_folder (merchant_id, token, due_at) VALUES (${merchantId}, 'x', now())`
  // Of the pictures of a product that is on sale, and of a category.
  await sql`
    UPDATE catalog.product_image SET file_id = ${image.id} WHERE merchant_id = ${merchantId} AND product_id IN (
      SELECT id FROM catalog.product WHERE merchant_id = ${merchantId} AND status = 'ACTIVE' AND deleted_at IS NULL
    )`
  await sql`UPDATE catalog.category SET image_file_id = ${image.id} WHERE merchant_id = ${merchantId}`
  await sql`
    INSERT INTO events.deletion (merchant_id, record_type, record_id, permission)
    VALUES (${merchantId}, 'Product', '00000000-0000-7000-8000-000000000001', 'events:read')`
  await sql`
    WITH import AS (
      INSERT INTO bulk.import (merchant_id, format, status, finished_at) VALUES (${merchantId}, 'CSV', 'FAILED', now())
      RETURNING merchant_id, id
    )
    INSERT INTO bulk.import_error (merchant_id, import_id, line, field, code, message)
    SELECT merchant_id, id, 2, 'sku', 'NOT_FOUND', 'of the matrix' FROM import`
  // Switched off: nothing is sent to it.
  await sql`
    INSERT INTO events.endpoint (merchant_id, url, topics, permissions, status)
    VALUES (${merchantId}, 'https://erp.example.com/', '{order.created}', '{}', 'DISABLED')`
  await sql`
    INSERT INTO events.endpoint_secret (merchant_id, endpoint_id, secret)
    SELECT merchant_id, id, 'of the matrix' FROM events.endpoint WHERE merchant_id = ${merchantId}`
  await sql`
    INSERT INTO events.delivery (merchant_id, endpoint_id, topic, position, status, body)
    SELECT merchant_id, id, 'webhook.test', '0', 'FAILED', '{}' FROM events.endpoint WHERE merchant_id = ${merchantId}`
  await sql`
    INSERT INTO events.attempt (merchant_id, delivery_id, number, url, request_headers, started_at, duration_ms)
    SELECT merchant_id, id, 1, 'https://erp.example.com/', '{}', now(), 1 FROM events.delivery WHERE merchant_id = ${merchantId}`
  await sql`
    INSERT INTO bulk.export (merchant_id, kind, format, holder_kind, holder_id, permissions)
    VALUES (${merchantId}, 'CUSTOMER_DATA', 'JSON_LINES', 'KEY', ${randomUUID()}, '{exports:read}')`
  const entry = {
    merchant_id: merchantId,
    actor_kind: 'KEY',
    source: 'CONTRACT',
    operation: 'matrix',
    outcome: 'DONE',
  }
  await sql`SELECT audit.append(${sql.json([entry])})`
}

/** Disabled, so that no payment of these tests calls a processor. */
async function addAccount(
  sql: postgres.TransactionSql,
  merchantId: string,
  secretBox: SecretBox,
): Promise<void> {
  const id = randomUUID()
  const secrets = JSON.stringify({ secretKey: 'sk_test_sandbox_matrix', webhookSecret: null })
  const account = {
    merchant_id: merchantId,
    id,
    processor: 'STRIPE',
    name: 'Stripe',
    mode: 'TEST',
    status: 'DISABLED',
    key_ending: 'trix',
    has_webhook_secret: false,
  }
  await sql`INSERT INTO payment.account ${sql(account)}`
  const credentials = secretBox.seal(secrets, `payment account ${merchantId} ${id}`)
  await sql`
    INSERT INTO payment.account_secret (merchant_id, account_id, credentials) VALUES (${merchantId}, ${id}, ${credentials})`
  await sql`INSERT INTO payment.payment_option (merchant_id, method, name) VALUES (${merchantId}, 'INVOICE', 'Invoice')`
  await sql`
    INSERT INTO payment.payment (merchant_id, appointment_id, amount, currency, method, processor, status)
    SELECT merchant_id, id, 1, currency, 'CASH', 'manual', 'FAILED'
    FROM booking.appointment WHERE merchant_id = ${merchantId} ORDER BY id LIMIT 1`
  await sql`
    INSERT INTO payment.dispute (merchant_id, payment_id, processor_dispute_id, amount, currency, reason, status, created_at)
    SELECT merchant_id, id, 'dp_matrix', 100, currency, 'fraudulent', 'WON', now()
    FROM payment.payment WHERE merchant_id = ${merchantId} ORDER BY id LIMIT 1`
}

/** Relationships that no row of the demo shop has: the referencing column and the target table. */
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
  // A cart has a promotion only with its code.
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
    WITH holder AS (
      INSERT INTO payment.processor_customer (merchant_id, customer_id, processor, account_id)
      SELECT ${merchantId}, ${customerId}, 'stripe', a.id FROM payment.account a WHERE a.merchant_id = ${merchantId} LIMIT 1
      RETURNING *
    )
    INSERT INTO payment.saved_method
      (merchant_id, customer_id, processor_customer_id, status, requested_method_id, processor_method_id, last4)
    SELECT merchant_id, customer_id, id, 'ACTIVE', 'pm_matrix', 'pm_matrix', '4242' FROM holder`
  await sql`
    INSERT INTO notification.notification (merchant_id, customer_id, kind, subject_key, title, body)
    VALUES (${merchantId}, ${customerId}, 'ORDER_SHIPPED', 'of the matrix', 'Shipped', 'Shipped')`
  await sql`
    INSERT INTO bulk.export (merchant_id, kind, format, customer_id, holder_kind, holder_id, permissions)
    VALUES (${merchantId}, 'CUSTOMER_DATA', 'JSON_LINES', ${customerId}, 'CUSTOMER', ${customerId}, '{}')`
}
