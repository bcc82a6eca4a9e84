-- Kestrel Coffee Roasters: a few rows of another merchant. One SKU and one slug are the same as Alder & Pine's,
-- because merchants are independent.

INSERT INTO catalog.category (merchant_id, id, name, slug, description) VALUES
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0005-7000-8000-000000000901', 'Coffee', 'coffee', 'Roasted on Tuesdays'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0005-7000-8000-000000000902', 'Brewing', 'brewing', NULL)
ON CONFLICT DO NOTHING;

INSERT INTO catalog.product (merchant_id, id, name, slug, description, sku, price, currency, status, featured, tags) VALUES
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0006-7000-8000-000000000901', 'Sturmflut Espresso 1 kg', 'sturmflut-espresso-1-kg', 'Dark, with cocoa and a little smoke.', 'KE-STURMFLUT-1000', 2990, 'EUR', 'ACTIVE', true, '{espresso}'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0006-7000-8000-000000000902', 'Elbe Filter 250 g', 'elbe-filter-250-g', 'Washed Ethiopian, bergamot and peach.', 'KE-ELBE-250', 1150, 'EUR', 'ACTIVE', false, '{filter}'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0006-7000-8000-000000000903', 'Camp Mug', 'camp-mug', 'Stoneware, 300 ml.', 'AP-MUG', 1900, 'EUR', 'ACTIVE', false, '{mug}')
ON CONFLICT DO NOTHING;

INSERT INTO catalog.product_category (merchant_id, product_id, category_id) VALUES
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0006-7000-8000-000000000901', '01a1f000-0005-7000-8000-000000000901'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0006-7000-8000-000000000902', '01a1f000-0005-7000-8000-000000000901'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0006-7000-8000-000000000903', '01a1f000-0005-7000-8000-000000000902')
ON CONFLICT DO NOTHING;

INSERT INTO catalog.product_image (merchant_id, id, product_id, url, alt)
SELECT
  p.merchant_id, ('01a1f000-0008-7000-8000-' || right(p.id::text, 12))::uuid, p.id,
  format('https://images.kestrelcoffee.example/products/%s.jpg', p.slug), p.name
FROM catalog.product p
WHERE p.merchant_id = '01a1f000-0001-7000-8000-000000000002' AND p.id::text LIKE '01a1f000-0006-7000-8000-%'
  AND p.deleted_at IS NULL
ON CONFLICT DO NOTHING;

INSERT INTO inventory.warehouse (merchant_id, id, name, code) VALUES
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0004-7000-8000-000000000901', 'Rösterei', 'HH')
ON CONFLICT DO NOTHING;

INSERT INTO inventory.warehouse_address (merchant_id, warehouse_id, line1, city, state, postal_code, country) VALUES
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0004-7000-8000-000000000901', 'Bahrenfelder Straße 201', 'Hamburg', 'Hamburg', '22765', 'DE')
ON CONFLICT DO NOTHING;

INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id, available)
SELECT i.merchant_id, i.id, '01a1f000-0004-7000-8000-000000000901', l.available
FROM (VALUES ('KE-STURMFLUT-1000', 80), ('KE-ELBE-250', 140), ('AP-MUG', 36)) AS l (sku, available)
JOIN inventory.stock_item i ON i.merchant_id = '01a1f000-0001-7000-8000-000000000002' AND i.sku = l.sku
ON CONFLICT DO NOTHING;

INSERT INTO crm.customer (merchant_id, id, email, name) VALUES
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0009-7000-8000-000000000901', 'mira.okafor@mail.example', 'Mira Okafor'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0009-7000-8000-000000000902', 'jan.petersen@mail.example', 'Jan Petersen')
ON CONFLICT DO NOTHING;

INSERT INTO crm.address (merchant_id, id, customer_id, line1, city, state, postal_code, country, is_default)
SELECT c.merchant_id, '01a1f000-000a-7000-8000-000000000902', c.id, 'Große Elbstraße 44', 'Hamburg', 'Hamburg', '22767', 'DE', true
FROM crm.customer c
WHERE c.merchant_id = '01a1f000-0001-7000-8000-000000000002' AND c.id = '01a1f000-0009-7000-8000-000000000902'
  AND NOT EXISTS (SELECT FROM crm.address a WHERE a.merchant_id = c.merchant_id AND a.customer_id = c.id)
ON CONFLICT DO NOTHING;

INSERT INTO metadata.definition (merchant_id, id, owner_type, namespace, key, type, name)
SELECT m.id, '01a1f000-0070-7000-8000-000000000101', 'PRODUCT', 'spec', 'material', 'TEXT', 'Material'
FROM merchant.merchant m WHERE m.id = '01a1f000-0001-7000-8000-000000000002'
ON CONFLICT DO NOTHING;
