-- Two merchants with the same data except for ids: no answer to the first may show the second's data.
-- Ids are made of a letter for the kind, the merchant's number and a running number: p('p', 1, 7).
CREATE FUNCTION pg_temp.id(kind text, merchant integer, n integer) RETURNS uuid
LANGUAGE sql IMMUTABLE
AS $$ SELECT md5(kind || ':' || merchant || ':' || n)::uuid $$;

-- The merchants' names and emails are the same; the merchant's number is in `notes` where a table has them.
INSERT INTO merchant.merchant (id, name, email, website)
SELECT pg_temp.id('merchant', m, 0), 'Shop', 'owner@example.com', 'https://shop.example.com' FROM generate_series(1, 2) m;
UPDATE merchant.subscription SET plan = 'PRO';
UPDATE merchant.settings SET currency = 'USD', tax_rate = 0.1;
INSERT INTO merchant.shipping_zone (merchant_id, id, name, countries)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('zone', m, 1), 'Domestic', '{US}' FROM generate_series(1, 2) m;
INSERT INTO merchant.shipping_method (merchant_id, id, shipping_zone_id, name, price)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('method', m, 1), pg_temp.id('zone', m, 1), 'Parcel', 500
FROM generate_series(1, 2) m;
INSERT INTO merchant.api_key (merchant_id, id, name, mode, prefix, permissions)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('key', m, 1), 'Integration', 'live', 'cg_live_abcd', '{products:read}'
FROM generate_series(1, 2) m;
INSERT INTO merchant.ip_allow_list_entry (merchant_id, id, network, description)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('network', m, 1), '203.0.113.0/24', 'Office' FROM generate_series(1, 2) m;

INSERT INTO catalog.category (merchant_id, id, parent_id, name, slug, position, image_url)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('category', m, n), CASE WHEN n > 1 THEN pg_temp.id('category', m, 1) END,
  'Category ' || n, 'category-' || n, n, CASE WHEN n = 1 THEN 'https://img.example.com/category.png' END
FROM generate_series(1, 2) m, generate_series(1, 3) n ORDER BY n;

-- Products 1 to 30 are created in pairs, a minute apart, with the same time in a pair. 28 is a draft, 29 archived, 30 deleted.
INSERT INTO catalog.product (merchant_id, id, name, description, sku, price, currency, cost_per_item, status, featured, slug, tags, created_at)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('product', m, n), 'Product ' || to_char(n, 'FM00'), 'The ' || n || '. thing', 'SKU-' || n,
  1000 + (n % 5) * 100, 'USD', 400, CASE n WHEN 28 THEN 'DRAFT' WHEN 29 THEN 'ARCHIVED' ELSE 'ACTIVE' END, n % 10 = 0,
  'product-' || n, CASE WHEN n % 2 = 0 THEN '{even,all}'::text[] ELSE '{all}' END,
  timestamptz '2026-01-01 00:00:00.123456+00' + ((n + 1) / 2) * interval '1 minute'
FROM generate_series(1, 2) m, generate_series(1, 30) n;
INSERT INTO catalog.product_image (merchant_id, id, product_id, url, alt, position)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('image', m, n * 10 + i), pg_temp.id('product', m, n),
  'https://img.example.com/' || n || '-' || i || '.png', 'Picture ' || i, i
FROM generate_series(1, 2) m, generate_series(1, 30) n, generate_series(1, 3) i;
INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('product', m, n), pg_temp.id('category', m, c)
FROM generate_series(1, 2) m, generate_series(1, 30) n, generate_series(1, 3) c WHERE c = 1 OR n % 3 = c - 2;
INSERT INTO catalog.product_variant (merchant_id, id, product_id, sku, price, position)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('variant', m, v), pg_temp.id('product', m, 1), 'SKU-1-' || v, 1100 + v, v
FROM generate_series(1, 2) m, generate_series(1, 3) v;
INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('variant', m, v), 'size', 'S' || v FROM generate_series(1, 2) m, generate_series(1, 3) v;
INSERT INTO crm.customer (merchant_id, id, email, name, tags, created_at)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('customer', m, n), 'customer' || n || '@example.com', 'Customer ' || n, '{regular}',
  timestamptz '2026-01-01 00:00:00+00' + n * interval '1 day'
FROM generate_series(1, 2) m, generate_series(1, 3) n;
INSERT INTO crm.address (merchant_id, id, customer_id, line1, city, state, postal_code, country)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('address', m, n), pg_temp.id('customer', m, n), n || ' Main St', 'Springfield', 'IL', '62701', 'US'
FROM generate_series(1, 2) m, generate_series(1, 3) n;
INSERT INTO catalog.review (merchant_id, id, product_id, customer_id, author_name, rating, status, created_at)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('review', m, n), pg_temp.id('product', m, 1), pg_temp.id('customer', m, n), 'Customer ' || n,
  n + 1, CASE WHEN n < 3 THEN 'APPROVED' ELSE 'PENDING' END, timestamptz '2026-03-01 00:00:00+00' + n * interval '1 hour'
FROM generate_series(1, 2) m, generate_series(1, 3) n;

INSERT INTO inventory.warehouse (merchant_id, id, name, code, priority)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('warehouse', m, n), 'Warehouse ' || n, 'W' || n, n FROM generate_series(1, 2) m, generate_series(1, 2) n;
INSERT INTO inventory.warehouse_address (merchant_id, warehouse_id, line1, city, state, postal_code, country)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('warehouse', m, n), 'Dock ' || n, 'Springfield', 'IL', '62701', 'US'
FROM generate_series(1, 2) m, generate_series(1, 2) n;
-- Ten units of every SKU in each warehouse, but none of product 2.
INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available, reserved)
SELECT s.merchant_id, s.id, pg_temp.id('warehouse', m, n), CASE WHEN s.sku = 'SKU-2' THEN 0 ELSE 10 END, 1
FROM generate_series(1, 2) m, generate_series(1, 2) n JOIN inventory.stock_item s ON true
WHERE s.merchant_id = pg_temp.id('merchant', m, 0);
INSERT INTO inventory.incoming_stock (merchant_id, id, stock_item_id, warehouse_id, quantity, expected_date)
SELECT s.merchant_id, pg_temp.id('incoming', m, 1), s.id, pg_temp.id('warehouse', m, 1), 7, date '2026-02-01'
FROM generate_series(1, 2) m JOIN inventory.stock_item s ON s.merchant_id = pg_temp.id('merchant', m, 0) AND s.sku = 'SKU-2';
INSERT INTO inventory.transfer (merchant_id, id, from_warehouse_id, to_warehouse_id)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('transfer', m, 1), pg_temp.id('warehouse', m, 1), pg_temp.id('warehouse', m, 2)
FROM generate_series(1, 2) m;
INSERT INTO inventory.transfer_line (merchant_id, transfer_id, stock_item_id, quantity)
SELECT s.merchant_id, pg_temp.id('transfer', m, 1), s.id, 2
FROM generate_series(1, 2) m JOIN inventory.stock_item s ON s.merchant_id = pg_temp.id('merchant', m, 0) AND s.sku = 'SKU-3';
INSERT INTO inventory.stock_alert (merchant_id, stock_item_id, email, customer_id)
SELECT s.merchant_id, s.id, 'waiting@example.com', pg_temp.id('customer', m, 1)
FROM generate_series(1, 2) m JOIN inventory.stock_item s ON s.merchant_id = pg_temp.id('merchant', m, 0) AND s.sku = 'SKU-2';
INSERT INTO inventory.reservation (merchant_id, id, expires_at)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('reservation', m, 1), now() + interval '1 hour' FROM generate_series(1, 2) m;
INSERT INTO inventory.reservation_line (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
SELECT s.merchant_id, pg_temp.id('reservation', m, 1), s.id, pg_temp.id('warehouse', m, 1), 1
FROM generate_series(1, 2) m JOIN inventory.stock_item s ON s.merchant_id = pg_temp.id('merchant', m, 0) AND s.sku = 'SKU-3';

INSERT INTO promotion.campaign (merchant_id, id, name, description)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('campaign', m, 1), 'Winter', 'All that is cold' FROM generate_series(1, 2) m;
INSERT INTO promotion.promotion (merchant_id, id, campaign_id, name, code, discount_type, discount_value, start_date, end_date, min_purchase_amount)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('promotion', m, 1), pg_temp.id('campaign', m, 1), 'New year', 'NEW', 'FIXED_AMOUNT', 100, '2026-01-01', '2099-01-01', 500
FROM generate_series(1, 2) m;

-- Customer 1 has three orders of products 1 and 30 (the deleted one); the first was placed with a coupon.
INSERT INTO ordering.order (merchant_id, id, order_number, customer_id, status, currency, subtotal, tax, shipping, discount, total,
  shipping_address_id, promotion_id, coupon_code, created_at)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('order', m, n), (1000 + n)::text, pg_temp.id('customer', m, 1),
  CASE n WHEN 3 THEN 'PENDING' ELSE 'CONFIRMED' END, 'USD', 3000, 300, 500, CASE n WHEN 1 THEN 100 ELSE 0 END,
  3800 - CASE n WHEN 1 THEN 100 ELSE 0 END, pg_temp.id('order-address', m, n),
  CASE n WHEN 1 THEN pg_temp.id('promotion', m, 1) END, CASE n WHEN 1 THEN 'NEW' END,
  timestamptz '2026-02-01 00:00:00+00' + n * interval '1 hour'
FROM generate_series(1, 2) m, generate_series(1, 3) n;
INSERT INTO ordering.order_address (merchant_id, id, order_id, line1, city, state, postal_code, country)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('order-address', m, n), pg_temp.id('order', m, n), '1 Main St', 'Springfield', 'IL', '62701', 'US'
FROM generate_series(1, 2) m, generate_series(1, 3) n;
INSERT INTO ordering.order_item
  (merchant_id, id, order_id, position, product_id, variant_id, quantity, price, subtotal, discount, tax, sku, product_name)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('item', m, n * 10 + i), pg_temp.id('order', m, n), i,
  pg_temp.id('product', m, CASE i WHEN 1 THEN 1 ELSE 30 END), CASE i WHEN 1 THEN pg_temp.id('variant', m, 1) END,
  CASE i WHEN 1 THEN 2 ELSE 1 END, 1000, CASE i WHEN 1 THEN 2000 ELSE 1000 END,
  CASE WHEN n > 1 THEN 0 WHEN i = 1 THEN 67 ELSE 33 END, CASE i WHEN 1 THEN 200 ELSE 100 END, 'SKU', 'Then'
FROM generate_series(1, 2) m, generate_series(1, 3) n, generate_series(1, 2) i;
INSERT INTO ordering.fulfillment (merchant_id, id, order_id) SELECT merchant_id, gen_random_uuid(), id FROM ordering.order;
-- The first order's card was declined once; the second attempt was charged, and a part of it refunded.
INSERT INTO payment.payment (merchant_id, id, order_id, amount, currency, status, method, processor, processor_payment_intent_id, refunded_amount, created_at)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('payment', m, n), pg_temp.id('order', m, 1), 3700, 'USD',
  CASE n WHEN 1 THEN 'FAILED' ELSE 'PARTIALLY_REFUNDED' END, 'CARD', 'sandbox', 'pi_' || m || '_' || n, CASE n WHEN 1 THEN 0 ELSE 700 END,
  timestamptz '2026-02-02 00:00:00+00' + n * interval '1 hour'
FROM generate_series(1, 2) m, generate_series(1, 2) n;
INSERT INTO payment.refund (merchant_id, id, payment_id, amount, reason, status)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('refund', m, 1), pg_temp.id('payment', m, 2), 700, 'Damaged', 'SUCCEEDED' FROM generate_series(1, 2) m;

INSERT INTO cart.cart (merchant_id, id, customer_id, currency)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('cart', m, 1), pg_temp.id('customer', m, 1), 'USD' FROM generate_series(1, 2) m;
INSERT INTO cart.cart_item (merchant_id, cart_id, product_id, quantity)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('cart', m, 1), pg_temp.id('product', m, p), 2
FROM generate_series(1, 2) m, unnest('{2,3}'::integer[]) p;
INSERT INTO cart.cart_address (merchant_id, cart_id, line1, city, state, postal_code, country)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('cart', m, 1), '1 Main Street', 'Springfield', 'IL', '62701', 'US'
FROM generate_series(1, 2) m;

-- Two staff members with working hours on every day of the week, in the merchant's time zone (UTC); the third is archived. An
-- appointment long ago and two in the far future. The first merchant's first has its reminder, and the second's second.
INSERT INTO booking.service (merchant_id, id, name, duration, price, currency, active)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('service', m, n), 'Service ' || n, n * 30, n * 1000, 'USD', n < 3
FROM generate_series(1, 2) m, generate_series(1, 3) n;
INSERT INTO booking.staff_member (merchant_id, id, name, email, active)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('staff', m, n), 'Staff ' || n, 'staff' || n || '@example.com', n < 3
FROM generate_series(1, 2) m, generate_series(1, 3) n;
INSERT INTO booking.staff_service (merchant_id, staff_id, service_id)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('staff', m, s), pg_temp.id('service', m, n)
FROM generate_series(1, 2) m, generate_series(1, 3) s, generate_series(1, 3) n;
INSERT INTO booking.schedule (merchant_id, id, staff_id, type, weekday, start_time, end_time)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('schedule', m, s * 10 + n), pg_temp.id('staff', m, s), 'WEEKLY',
  (ARRAY['MONDAY', 'TUESDAY', 'WEDNESDAY', 'THURSDAY', 'FRIDAY', 'SATURDAY', 'SUNDAY'])[n], '09:00', '11:00'
FROM generate_series(1, 2) m, generate_series(1, 3) s, generate_series(1, 7) n;
INSERT INTO booking.appointment (merchant_id, id, service_id, staff_id, customer_id, start_time, end_time, status)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('appointment', m, n), pg_temp.id('service', m, 1), pg_temp.id('staff', m, 1),
  pg_temp.id('customer', m, n), t.start, t.start + interval '30 minutes', CASE n WHEN 1 THEN 'COMPLETED' ELSE 'SCHEDULED' END
FROM generate_series(1, 2) m, generate_series(1, 3) n,
  LATERAL (SELECT CASE n WHEN 1 THEN timestamptz '2026-01-05 09:00:00+00' ELSE timestamptz '2099-01-05 09:00:00+00' + n * interval '1 day' END AS start) t;
-- Service 1 needs a bench. Of the two benches, two appointments of each merchant have the first.
INSERT INTO booking.resource (merchant_id, id, name, kind)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('resource', m, n), 'Resource ' || n, 'bench' FROM generate_series(1, 2) m, generate_series(1, 2) n;
INSERT INTO booking.resource_requirement (merchant_id, service_id, kind)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('service', m, 1), 'bench' FROM generate_series(1, 2) m;
INSERT INTO booking.appointment_resource (merchant_id, appointment_id, resource_id, start_time, end_time, takes_time)
SELECT a.merchant_id, a.id, pg_temp.id('resource', m, 1), a.start_time, a.end_time, a.takes_time
FROM generate_series(1, 2) m JOIN booking.appointment a ON a.id IN (pg_temp.id('appointment', m, 1), pg_temp.id('appointment', m, 2));
INSERT INTO booking.reminder (merchant_id, appointment_id, start_time)
SELECT a.merchant_id, a.id, a.start_time FROM booking.appointment a WHERE a.id IN (pg_temp.id('appointment', 1, 1), pg_temp.id('appointment', 2, 2));

UPDATE catalog.product SET deleted_at = now() WHERE name = 'Product 30';
UPDATE catalog.product_variant SET deleted_at = now() WHERE sku = 'SKU-1-3';
ANALYZE;

INSERT INTO identity.user (merchant_id, id, email, name, status, email_verified, created_at)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('user', m, n), 'user' || n || '@example.com', 'User ' || n,
  CASE n WHEN 3 THEN 'INACTIVE' ELSE 'ACTIVE' END, n = 1, timestamptz '2026-01-01 00:00:00+00' + n * interval '1 day'
FROM generate_series(1, 2) m, generate_series(1, 3) n;
INSERT INTO identity.role (merchant_id, id, name, description, permissions)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('role', m, 1), 'Picker', 'Packs orders', '{orders:read,products:read}'
FROM generate_series(1, 2) m;
INSERT INTO identity.user_role (merchant_id, user_id, role_id)
SELECT r.merchant_id, u.id, r.id
FROM identity.role r
JOIN identity.user u ON u.merchant_id = r.merchant_id AND u.name = CASE r.name WHEN 'Owner' THEN 'User 1' WHEN 'Picker' THEN 'User 2' END;

-- Messages: a template, a campaign to all customers, and deliveries of it and of an order. The first customer and the merchant's
-- staff have a device each, and read and unread notifications.
INSERT INTO email.template (merchant_id, id, kind, subject, html, text)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('email_template', m, 1), 'ORDER_SHIPPED', 'Off it goes', '<p>Off it goes</p>', 'Off it goes'
FROM generate_series(1, 2) m;
INSERT INTO email.campaign (merchant_id, id, name, subject, html, text, status, scheduled_at, started_at, finished_at, addressed)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('email_campaign', m, 1), 'Spring', 'Spring', '<p>Spring</p>', 'Spring', 'SENT',
  '2026-03-01T09:00:00Z', '2026-03-01T09:00:01Z', '2026-03-01T09:00:09Z', true
FROM generate_series(1, 2) m;
INSERT INTO email.delivery (merchant_id, id, kind, subject_key, recipient, customer_id, campaign_id, status, facts, subject, html, text)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('email_delivery', m, n), CASE n WHEN 1 THEN 'ORDER_CONFIRMATION' ELSE 'CAMPAIGN' END, n::text,
  'customer' || n || '@example.com', pg_temp.id('customer', m, n), CASE WHEN n > 1 THEN pg_temp.id('email_campaign', m, 1) END,
  CASE n WHEN 3 THEN 'FAILED' ELSE 'SENT' END, '{}', 'Hello', '<p>Hello</p>', 'Hello'
FROM generate_series(1, 2) m, generate_series(1, 3) n;
INSERT INTO notification.notification (merchant_id, id, customer_id, kind, subject_key, title, body, read_at)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('notification', m, n), CASE WHEN n > 2 THEN pg_temp.id('customer', m, 1) END,
  CASE WHEN n > 2 THEN 'ORDER_SHIPPED' ELSE 'LOW_STOCK_ALERT' END, n::text, 'Notification ' || n, 'Body', CASE WHEN n % 2 = 0 THEN now() END
FROM generate_series(1, 2) m, generate_series(1, 4) n;
INSERT INTO notification.device (merchant_id, id, customer_id, platform, token)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('device', m, n), CASE n WHEN 2 THEN pg_temp.id('customer', m, 1) END, 'WEB', 'token-' || n
FROM generate_series(1, 2) m, generate_series(1, 2) n;
INSERT INTO notification.push_delivery (merchant_id, id, device_id, kind, subject_key, title, body, status)
SELECT pg_temp.id('merchant', m, 0), pg_temp.id('push', m, 1), pg_temp.id('device', m, 1), 'LOW_STOCK_ALERT', '1', 'Running low', 'Body', 'SENT'
FROM generate_series(1, 2) m;
INSERT INTO notification.preference (merchant_id, customer_id, kind, channel, enabled)
SELECT pg_temp.id('merchant', m, 0), NULL, 'LOW_STOCK_ALERT', 'PUSH', false FROM generate_series(1, 2) m;
