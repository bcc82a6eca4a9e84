-- Alder & Pine's orders, one or more in every state, with their lines, addresses, payments,
-- reservations and stock. One statement that depends on the orders it inserts: a second run does nothing, so stock
-- and popularity are counted once.

INSERT INTO promotion.campaign (merchant_id, id, name, description)
VALUES ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0017-7000-8000-000000000001', 'Winter', 'Codes in the winter catalogue')
ON CONFLICT DO NOTHING;

INSERT INTO promotion.promotion
  (merchant_id, id, campaign_id, name, description, code, discount_type, discount_value, start_date, end_date, usage_limit, min_purchase_amount, first_order_only)
VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0013-7000-8000-000000000001', NULL, 'Welcome to the trail', 'Ten percent off a first order', 'TRAIL10', 'PERCENTAGE', 10, now() - interval '90 days', now() + interval '275 days', NULL, NULL, true),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0013-7000-8000-000000000002', '01a1f000-0017-7000-8000-000000000001', 'Snow season', 'Free shipping from 150 dollars', 'SNOWSHIP', 'FREE_SHIPPING', 0, now() + interval '20 days', now() + interval '80 days', 500, 15000, false)
ON CONFLICT DO NOTHING;

INSERT INTO ordering.order_number_counter (merchant_id, last_number)
VALUES ('01a1f000-0001-7000-8000-000000000001', 1011)
ON CONFLICT DO NOTHING;

WITH header (number, customer, status, shipping_method, days_ago, notes) AS (
  VALUES
    (1, 1, 'DELIVERED', 1, 48, NULL),
    (2, 10, 'DELIVERED', 1, 41, 'Leave with the neighbour at number 8'),
    (3, 3, 'REFUNDED', 1, 33, NULL),
    (4, 5, 'SHIPPED', 3, 9, NULL),
    (5, 2, 'SHIPPED', 3, 7, NULL),
    (6, 4, 'PROCESSING', 1, 2, 'Guiding on Saturday, please send in time'),
    (7, 7, 'CONFIRMED', 3, 1, NULL),
    (8, 1, 'CONFIRMED', 2, 1, NULL),
    (9, 9, 'PENDING', 1, 0, NULL),
    (10, 8, 'CANCELLED', 1, 15, NULL),
    (11, 4, 'DELIVERED', 1, 27, NULL)
),
line (number, position, sku, quantity) AS (
  VALUES
    (1, 0, 'AP-TAMARACK-2', 1), (1, 1, 'AP-SOCKS-CREW', 3), (2, 0, 'AP-SWITCH-55-ML', 1), (3, 0, 'AP-FOOTHILL-42', 1),
    (4, 0, 'AP-HOLLOW-20-R', 1), (4, 1, 'AP-MOSSBED', 1), (5, 0, 'AP-STORMLINE-L', 1),
    (6, 0, 'AP-SPARK', 2), (6, 1, 'AP-POT-900', 2), (6, 2, 'AP-MUG', 4),
    (7, 0, 'AP-STORMLINE-M', 1), (7, 1, 'AP-MERINO-150-M', 2), (8, 0, 'AP-POLARIS', 6),
    (9, 0, 'AP-SPARK', 1), (10, 0, 'AP-CAIRN-28', 1), (11, 0, 'AP-SOCKS-CREW', 4)
),
priced AS (
  SELECT
    l.number, l.position, l.quantity, i.merchant_id, i.id AS stock_item_id, i.product_id, i.variant_id, i.sku,
    coalesce(v.price, p.price) AS price, p.name,
    (
      SELECT g.url FROM catalog.product_image g
      WHERE g.merchant_id = p.merchant_id AND g.product_id = p.id ORDER BY g.position, g.id LIMIT 1
    ) AS image
  FROM line l
  JOIN inventory.stock_item i ON i.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND i.sku = l.sku
  JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
  LEFT JOIN catalog.product_variant v ON v.merchant_id = i.merchant_id AND v.id = i.variant_id
),
summed AS (
  SELECT
    h.*, s.merchant_id, s.subtotal, round(s.subtotal * m.tax_rate)::bigint AS tax, d.price AS shipping,
    lpad(h.number::text, 12, '0') AS tail, now() - make_interval(days => h.days_ago) AS placed_at
  FROM header h
  JOIN (
    SELECT number, merchant_id, sum(price * quantity)::bigint AS subtotal FROM priced GROUP BY number, merchant_id
  ) s USING (number)
  JOIN merchant.settings m ON m.merchant_id = s.merchant_id
  JOIN merchant.shipping_method d
    ON d.merchant_id = s.merchant_id AND d.id = ('01a1f000-0003-7000-8000-' || lpad(h.shipping_method::text, 12, '0'))::uuid
),
placed AS (
  INSERT INTO ordering.order
    (merchant_id, id, order_number, customer_id, status, currency, subtotal, tax, shipping, discount, total,
     shipping_address_id, shipping_method_id, notes, cancel_reason, cancelled_at, created_at)
  SELECT
    merchant_id, ('01a1f000-000c-7000-8000-' || tail)::uuid, 'ORD-' || lpad((1000 + number)::text, 8, '0'),
    ('01a1f000-0009-7000-8000-' || lpad(customer::text, 12, '0'))::uuid, status, 'USD',
    subtotal, tax, shipping, 0, subtotal + tax + shipping,
    ('01a1f000-000d-7000-8000-' || tail)::uuid, ('01a1f000-0003-7000-8000-' || lpad(shipping_method::text, 12, '0'))::uuid,
    notes,
    CASE status WHEN 'CANCELLED' THEN 'The customer found another size elsewhere' END,
    CASE status WHEN 'CANCELLED' THEN placed_at + interval '3 hours' END,
    placed_at
  FROM summed
  ORDER BY number
  ON CONFLICT DO NOTHING
  RETURNING id
),
new_order AS (
  SELECT s.*, ('01a1f000-000c-7000-8000-' || s.tail)::uuid AS order_id
  FROM summed s
  WHERE ('01a1f000-000c-7000-8000-' || s.tail)::uuid IN (SELECT id FROM placed)
),
shipped_to AS (
  INSERT INTO ordering.order_address (merchant_id, id, order_id, line1, line2, city, state, postal_code, country)
  SELECT
    o.merchant_id, ('01a1f000-000d-7000-8000-' || o.tail)::uuid, o.order_id,
    a.line1, a.line2, a.city, a.state, a.postal_code, a.country
  FROM new_order o
  JOIN crm.address a
    ON a.merchant_id = o.merchant_id AND a.id = ('01a1f000-000a-7000-8000-' || lpad(o.customer::text, 12, '0'))::uuid
),
lines AS (
  INSERT INTO ordering.order_item
    (merchant_id, id, order_id, position, product_id, variant_id, quantity, packed_quantity, fulfilled_quantity,
     refunded_quantity, returning_quantity, returned_quantity, price, subtotal, tax, sku, product_name, product_image)
  SELECT
    p.merchant_id, ('01a1f000-000e-7000-8000-' || lpad((p.number * 10 + p.position)::text, 12, '0'))::uuid, o.order_id,
    p.position, p.product_id, p.variant_id, p.quantity,
    CASE WHEN o.status IN ('SHIPPED', 'DELIVERED', 'REFUNDED') THEN p.quantity ELSE 0 END,
    CASE WHEN o.status IN ('SHIPPED', 'DELIVERED', 'REFUNDED') THEN p.quantity ELSE 0 END,
    CASE WHEN o.status = 'REFUNDED' THEN p.quantity ELSE 0 END,
    CASE WHEN o.status = 'REFUNDED' THEN p.quantity ELSE 0 END,
    CASE WHEN o.status = 'REFUNDED' THEN p.quantity ELSE 0 END,
    p.price, p.price * p.quantity,
    (platform.allocate(o.tax, array_agg((p.price * p.quantity)::bigint) OVER of_order))[row_number() OVER of_order],
    p.sku, p.name, p.image
  FROM priced p
  JOIN new_order o USING (number)
  WINDOW of_order AS (
    PARTITION BY p.number ORDER BY p.position ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
  )
),
-- A unit counts for popularity once it is paid.
counted AS (
  UPDATE catalog.product p
  SET popularity = p.popularity + s.quantity
  FROM (
    SELECT l.merchant_id, l.product_id, sum(l.quantity) AS quantity
    FROM priced l
    JOIN new_order o USING (number)
    WHERE o.status NOT IN ('PENDING', 'CANCELLED')
    GROUP BY l.merchant_id, l.product_id
  ) s
  WHERE p.merchant_id = s.merchant_id AND p.id = s.product_id
),
-- Sent and delivered units have left stock, units to be sent are reserved, the others went back.
reserved AS (
  INSERT INTO inventory.reservation (merchant_id, id, status, order_id, expires_at, created_at)
  SELECT
    merchant_id, ('01a1f000-0011-7000-8000-' || tail)::uuid,
    CASE
      WHEN status = 'PENDING' THEN 'ACTIVE'
      WHEN status IN ('CONFIRMED', 'PROCESSING') THEN 'COMMITTED'
      WHEN status IN ('SHIPPED', 'DELIVERED', 'REFUNDED') THEN 'CONSUMED'
      ELSE 'RELEASED'
    END,
    order_id, now() + interval '7 days', placed_at
  FROM new_order
),
reserved_lines AS (
  INSERT INTO inventory.reservation_line (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
  SELECT
    p.merchant_id, ('01a1f000-0011-7000-8000-' || o.tail)::uuid, p.stock_item_id,
    '01a1f000-0004-7000-8000-000000000001', p.quantity
  FROM priced p
  JOIN new_order o USING (number)
),
taken AS (
  UPDATE inventory.stock_level l
  SET available = l.available - s.taken, reserved = l.reserved + s.reserved, last_sold_at = s.sold_at
  FROM (
    SELECT
      p.merchant_id, p.stock_item_id, sum(p.quantity) AS taken, max(o.placed_at) AS sold_at,
      coalesce(sum(p.quantity) FILTER (WHERE o.status IN ('PENDING', 'CONFIRMED', 'PROCESSING')), 0) AS reserved
    FROM priced p
    JOIN new_order o USING (number)
    WHERE o.status NOT IN ('CANCELLED', 'REFUNDED')
    GROUP BY p.merchant_id, p.stock_item_id
  ) s
  WHERE l.merchant_id = s.merchant_id AND l.stock_item_id = s.stock_item_id
    AND l.warehouse_id = '01a1f000-0004-7000-8000-000000000001'
),
fulfilled AS (
  INSERT INTO ordering.fulfillment
    (merchant_id, id, order_id, status, carrier, tracking_number, shipped_at, estimated_delivery_at, delivered_at, created_at)
  SELECT
    merchant_id, ('01a1f000-000f-7000-8000-' || tail)::uuid, order_id,
    CASE status WHEN 'SHIPPED' THEN 'SHIPPED' WHEN 'DELIVERED' THEN 'DELIVERED' WHEN 'REFUNDED' THEN 'RETURNED' ELSE 'UNFULFILLED' END,
    CASE WHEN status IN ('SHIPPED', 'DELIVERED', 'REFUNDED') THEN CASE shipping_method WHEN 3 THEN 'DHL' ELSE 'UPS' END END,
    CASE WHEN status IN ('SHIPPED', 'DELIVERED', 'REFUNDED') THEN '1Z999AA1' || lpad((number * 7919)::text, 10, '0') END,
    CASE WHEN status IN ('SHIPPED', 'DELIVERED', 'REFUNDED') THEN placed_at + interval '1 day' END,
    CASE WHEN status IN ('SHIPPED', 'DELIVERED', 'REFUNDED') THEN placed_at + interval '5 days' END,
    CASE WHEN status IN ('DELIVERED', 'REFUNDED') THEN placed_at + interval '4 days' END,
    placed_at
  FROM new_order
),
-- Sent orders, with one shipment each.
sent AS (
  INSERT INTO ordering.shipment
    (merchant_id, id, order_id, status, carrier, tracking_number, shipped_at, estimated_delivery_at, delivered_at, created_at)
  SELECT
    merchant_id, ('01a1f000-0028-7000-8000-' || tail)::uuid, order_id,
    CASE status WHEN 'SHIPPED' THEN 'SHIPPED' ELSE 'DELIVERED' END,
    CASE shipping_method WHEN 3 THEN 'DHL' ELSE 'UPS' END,
    '1Z999AA1' || lpad((number * 7919)::text, 10, '0'),
    placed_at + interval '1 day',
    placed_at + interval '5 days',
    CASE WHEN status <> 'SHIPPED' THEN placed_at + interval '4 days' END,
    placed_at + interval '20 hours'
  FROM new_order
  WHERE status IN ('SHIPPED', 'DELIVERED', 'REFUNDED')
),
sent_lines AS (
  INSERT INTO ordering.shipment_line (merchant_id, shipment_id, order_item_id, quantity)
  SELECT
    p.merchant_id, ('01a1f000-0028-7000-8000-' || o.tail)::uuid,
    ('01a1f000-000e-7000-8000-' || lpad((p.number * 10 + p.position)::text, 12, '0'))::uuid, p.quantity
  FROM priced p
  JOIN new_order o USING (number)
  WHERE o.status IN ('SHIPPED', 'DELIVERED', 'REFUNDED')
),
-- All were paid outside of the platform (processor `manual`), so they can be cancelled and refunded without a
-- processor.
paid AS (
  INSERT INTO payment.payment
    (merchant_id, id, order_id, amount, currency, status, method, last4, brand, expiry_month, expiry_year, processor,
     failure_reason, failure_code, decline_code, refunded_amount, created_at)
  SELECT
    merchant_id, ('01a1f000-0010-7000-8000-' || tail)::uuid, order_id, subtotal + tax + shipping, 'USD',
    CASE
      WHEN status = 'REFUNDED' THEN 'REFUNDED'
      WHEN status = 'CANCELLED' THEN 'FAILED'
      WHEN number = 11 THEN 'PARTIALLY_REFUNDED'
      ELSE 'SUCCEEDED'
    END,
    CASE number % 3 WHEN 0 THEN 'BANK_TRANSFER' ELSE 'CARD' END,
    CASE number % 3 WHEN 0 THEN NULL WHEN 1 THEN '4242' ELSE '4444' END,
    CASE number % 3 WHEN 0 THEN NULL WHEN 1 THEN 'visa' ELSE 'mastercard' END,
    CASE WHEN number % 3 <> 0 THEN 1 + number % 12 END,
    CASE WHEN number % 3 <> 0 THEN extract(year FROM now())::integer + 2 END,
    'manual',
    CASE status WHEN 'CANCELLED' THEN 'Your card has insufficient funds.' END,
    CASE status WHEN 'CANCELLED' THEN 'card_declined' END,
    CASE status WHEN 'CANCELLED' THEN 'insufficient_funds' END,
    CASE WHEN status = 'REFUNDED' THEN subtotal + tax + shipping WHEN number = 11 THEN 2200 ELSE 0 END,
    placed_at + interval '4 minutes'
  FROM new_order
  WHERE status <> 'PENDING'
),
returned AS (
  INSERT INTO ordering.order_return
    (merchant_id, id, return_number, order_id, status, note, refund_id, received_at, created_at)
  SELECT
    merchant_id, ('01a1f000-0029-7000-8000-' || tail)::uuid, 'RMA-00001001', order_id, 'REFUNDED',
    'They pinch at the toes', ('01a1f000-0016-7000-8000-' || tail)::uuid, placed_at + interval '8 days',
    placed_at + interval '5 days'
  FROM new_order
  WHERE status = 'REFUNDED'
),
returned_lines AS (
  INSERT INTO ordering.return_line (merchant_id, return_id, order_item_id, position, quantity, reason, restocked_quantity)
  SELECT
    p.merchant_id, ('01a1f000-0029-7000-8000-' || o.tail)::uuid,
    ('01a1f000-000e-7000-8000-' || lpad((p.number * 10 + p.position)::text, 12, '0'))::uuid, p.position, p.quantity,
    'DOES_NOT_FIT', p.quantity
  FROM priced p
  JOIN new_order o USING (number)
  WHERE o.status = 'REFUNDED'
),
counted_returns AS (
  INSERT INTO ordering.return_number_counter (merchant_id, last_number)
  SELECT merchant_id, 1001 FROM new_order WHERE status = 'REFUNDED'
  ON CONFLICT DO NOTHING
),
refunded_lines AS (
  INSERT INTO payment.refund_line (merchant_id, refund_id, order_item_id, quantity, amount, paid)
  SELECT x.merchant_id, x.refund_id, x.order_item_id, x.quantity, x.paid, x.paid
  FROM (
    SELECT
      p.merchant_id, ('01a1f000-0016-7000-8000-' || o.tail)::uuid AS refund_id,
      ('01a1f000-000e-7000-8000-' || lpad((p.number * 10 + p.position)::text, 12, '0'))::uuid AS order_item_id, p.quantity,
      p.price * p.quantity
        + (platform.allocate(o.tax, array_agg((p.price * p.quantity)::bigint) OVER of_order))[row_number() OVER of_order] AS paid
    FROM priced p
    JOIN new_order o USING (number)
    WHERE o.status = 'REFUNDED'
    WINDOW of_order AS (
      PARTITION BY p.number ORDER BY p.position ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING
    )
  ) x
)
INSERT INTO payment.refund (merchant_id, id, payment_id, amount, shipping_amount, reason, status, created_at)
SELECT
  merchant_id, ('01a1f000-0016-7000-8000-' || tail)::uuid, ('01a1f000-0010-7000-8000-' || tail)::uuid,
  CASE status WHEN 'REFUNDED' THEN subtotal + tax + shipping ELSE 2200 END,
  CASE status WHEN 'REFUNDED' THEN shipping ELSE 0 END,
  CASE status WHEN 'REFUNDED' THEN 'Returned: too narrow' ELSE 'One pair arrived with a hole' END,
  'SUCCEEDED', placed_at + interval '9 days'
FROM new_order
WHERE status = 'REFUNDED' OR number = 11;

-- An abandoned cart.
INSERT INTO cart.cart (merchant_id, id, customer_id, currency)
SELECT c.merchant_id, '01a1f000-0014-7000-8000-000000000001', c.id, 'USD'
FROM crm.customer c
WHERE c.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND c.id = '01a1f000-0009-7000-8000-000000000006'
ON CONFLICT DO NOTHING;

INSERT INTO cart.cart_item (merchant_id, id, cart_id, product_id, variant_id, quantity)
SELECT i.merchant_id, n.id::uuid, c.id, i.product_id, i.variant_id, n.quantity
FROM (VALUES
  ('01a1f000-0015-7000-8000-000000000001', 'AP-EMBER-M', 1),
  ('01a1f000-0015-7000-8000-000000000002', 'AP-MUG', 2)
) AS n (id, sku, quantity)
JOIN inventory.stock_item i ON i.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND i.sku = n.sku
JOIN cart.cart c
  ON c.merchant_id = i.merchant_id AND c.id = '01a1f000-0014-7000-8000-000000000001' AND c.checked_out_at IS NULL
ON CONFLICT DO NOTHING;

-- A draft for a customer who ordered by phone and will call back.
INSERT INTO ordering.draft_order (merchant_id, id, customer_id, shipping_method_id, line1, city, state, postal_code, country, notes, tags, expires_at)
SELECT
  a.merchant_id, '01a1f000-002a-7000-8000-000000000001', a.customer_id, '01a1f000-0003-7000-8000-000000000001', a.line1, a.city,
  a.state, a.postal_code, a.country, 'Calls back on Thursday about the colour', '{phone}', now() + interval '20 days'
FROM crm.address a
WHERE a.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND a.id = '01a1f000-000a-7000-8000-000000000003'
ON CONFLICT DO NOTHING;

INSERT INTO ordering.draft_order_item (merchant_id, id, draft_order_id, position, product_id, variant_id, quantity)
SELECT i.merchant_id, n.id::uuid, '01a1f000-002a-7000-8000-000000000001', n.position, i.product_id, i.variant_id, n.quantity
FROM (VALUES
  ('01a1f000-002b-7000-8000-000000000001', 0, 'AP-TAMARACK-2', 1),
  ('01a1f000-002b-7000-8000-000000000002', 1, 'AP-MUG', 2)
) AS n (id, position, sku, quantity)
JOIN inventory.stock_item i ON i.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND i.sku = n.sku
JOIN ordering.draft_order d ON d.merchant_id = i.merchant_id AND d.id = '01a1f000-002a-7000-8000-000000000001'
ON CONFLICT DO NOTHING;
