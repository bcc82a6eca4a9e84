-- Alder & Pine's warehouses and deliveries to them. Orders (05_orders.sql) use this stock.

INSERT INTO inventory.warehouse (merchant_id, id, name, code, priority) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0004-7000-8000-000000000001', 'Bend', 'BEND', 0),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0004-7000-8000-000000000002', 'Asheville', 'AVL', 1)
ON CONFLICT DO NOTHING;

INSERT INTO inventory.warehouse_address (merchant_id, warehouse_id, line1, city, state, postal_code, country, phone) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0004-7000-8000-000000000001', '1180 SE Armour Road', 'Bend', 'OR', '97702', 'US', '+1 541 555 0143'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0004-7000-8000-000000000002', '64 Riverside Drive', 'Asheville', 'NC', '28801', 'US', '+1 828 555 0188')
ON CONFLICT DO NOTHING;

INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available, last_restocked_at)
SELECT i.merchant_id, i.id, w.id, CASE w.code WHEN 'BEND' THEN l.bend ELSE l.asheville END, now() - interval '30 days'
FROM (VALUES
  ('AP-TAMARACK-2', 18, 12), ('AP-LARCH-1', 14, 6), ('AP-RIDGE-TARP', 30, 20),
  ('AP-HOLLOW-20-R', 16, 8), ('AP-HOLLOW-20-L', 7, 3), ('AP-NIGHTJAR', 11, 0), ('AP-MOSSBED', 40, 25),
  ('AP-SWITCH-55-SM', 9, 6), ('AP-SWITCH-55-ML', 12, 9), ('AP-CAIRN-28', 35, 15), ('AP-TOWHEE', 60, 40),
  ('AP-STORMLINE-S', 10, 5), ('AP-STORMLINE-M', 18, 9), ('AP-STORMLINE-L', 15, 8), ('AP-STORMLINE-XL', 3, 1),
  ('AP-EMBER-S', 6, 2), ('AP-EMBER-M', 9, 5), ('AP-EMBER-L', 8, 4), ('AP-MEADOW-WIND', 22, 10),
  ('AP-MERINO-150-S', 25, 12), ('AP-MERINO-150-M', 30, 18), ('AP-MERINO-150-L', 28, 14), ('AP-MERINO-250T', 20, 8),
  ('AP-FOOTHILL-41', 8, 4), ('AP-FOOTHILL-42', 11, 6), ('AP-FOOTHILL-43', 10, 5), ('AP-FOOTHILL-44', 2, 0), ('AP-SANDSTONE', 26, 12),
  ('AP-SOCKS-CREW', 140, 90), ('AP-KINDLE', 0, 0), ('AP-SPARK', 45, 30), ('AP-POT-900', 24, 16), ('AP-MUG', 120, 80),
  ('AP-POLARIS', 38, 22), ('AP-COMPASS', 50, 30)
) AS l (sku, bend, asheville)
JOIN inventory.stock_item i ON i.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND i.sku = l.sku
JOIN inventory.warehouse w ON w.merchant_id = i.merchant_id AND w.code IN ('BEND', 'AVL')
ON CONFLICT DO NOTHING;

-- The stove is sold out, and more are on their way.
INSERT INTO inventory.incoming_stock (merchant_id, id, stock_item_id, warehouse_id, quantity, expected_date)
SELECT i.merchant_id, n.id::uuid, i.id, '01a1f000-0004-7000-8000-000000000001', n.quantity, current_date + n.days
FROM (VALUES
  ('01a1f000-0012-7000-8000-000000000001', 'AP-KINDLE', 60, 12),
  ('01a1f000-0012-7000-8000-000000000002', 'AP-FOOTHILL-44', 24, 20)
) AS n (id, sku, quantity, days)
JOIN inventory.stock_item i ON i.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND i.sku = n.sku
ON CONFLICT DO NOTHING;

-- Two customers wait for the stove.
INSERT INTO inventory.stock_alert (merchant_id, id, stock_item_id, email)
SELECT i.merchant_id, a.id::uuid, i.id, a.email
FROM (VALUES
  ('01a1f000-0013-7000-8000-000000000001', 'noor.haddad@example.com'),
  ('01a1f000-0013-7000-8000-000000000002', 'j.okafor@example.com')
) AS a (id, email)
JOIN inventory.stock_item i ON i.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND i.sku = 'AP-KINDLE'
ON CONFLICT DO NOTHING;

-- Socks for the winter are on their way from Bend to Asheville, and a transfer of mugs is being prepared.
INSERT INTO inventory.transfer (merchant_id, id, from_warehouse_id, to_warehouse_id, expected_date, notes)
VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0014-7000-8000-000000000001', '01a1f000-0004-7000-8000-000000000001', '01a1f000-0004-7000-8000-000000000002', current_date + 4, 'Winter stock'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0014-7000-8000-000000000002', '01a1f000-0004-7000-8000-000000000001', '01a1f000-0004-7000-8000-000000000002', NULL, NULL)
ON CONFLICT DO NOTHING;
INSERT INTO inventory.transfer_line (merchant_id, transfer_id, stock_item_id, quantity)
SELECT i.merchant_id, l.transfer_id::uuid, i.id, l.quantity
FROM (VALUES
  ('01a1f000-0014-7000-8000-000000000001', 'AP-SOCKS-CREW', 24),
  ('01a1f000-0014-7000-8000-000000000001', 'AP-MERINO-150-M', 6),
  ('01a1f000-0014-7000-8000-000000000002', 'AP-MUG', 20)
) AS l (transfer_id, sku, quantity)
JOIN inventory.stock_item i ON i.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND i.sku = l.sku
ON CONFLICT DO NOTHING;
SELECT inventory.ship_transfer(
  '01a1f000-0001-7000-8000-000000000001', '01a1f000-0014-7000-8000-000000000001', '{DRAFT}', 'IN_TRANSIT', NULL
);
