-- Alder & Pine's categories, products, variants and images. Prices are cents.

INSERT INTO catalog.category (merchant_id, id, parent_id, name, slug, description, position)
SELECT
  '01a1f000-0001-7000-8000-000000000001',
  ('01a1f000-0005-7000-8000-' || lpad(c.number::text, 12, '0'))::uuid,
  ('01a1f000-0005-7000-8000-' || lpad(c.parent::text, 12, '0'))::uuid,
  c.name, c.slug, c.description, c.number
FROM (VALUES
  (1, NULL, 'Shelter', 'shelter', 'Tents and tarps for one night or a season'),
  (2, NULL, 'Sleep', 'sleep', 'Bags, quilts and pads'),
  (3, NULL, 'Packs', 'packs', 'For an afternoon, a weekend or a thru-hike'),
  (4, NULL, 'Clothing', 'clothing', 'Layers that work together'),
  (5, 4, 'Jackets', 'jackets', 'Shells and insulation'),
  (6, 4, 'Base layers', 'base-layers', 'Merino, next to skin'),
  (7, NULL, 'Footwear', 'footwear', 'Boots, shoes and socks'),
  (8, NULL, 'Camp kitchen', 'camp-kitchen', 'Everything between water and dinner'),
  (9, 8, 'Stoves', 'stoves', 'Gas, wood and alcohol'),
  (10, 8, 'Cookware', 'cookware', 'Pots, mugs and cutlery'),
  (11, NULL, 'Light & navigation', 'light-navigation', 'Find the way, also at night')
) AS c (number, parent, name, slug, description)
ORDER BY c.number
ON CONFLICT DO NOTHING;

INSERT INTO catalog.product
  (merchant_id, id, name, slug, description, sku, price, currency, compare_at_price, cost_per_item, status, featured, tags, created_at)
SELECT
  '01a1f000-0001-7000-8000-000000000001',
  ('01a1f000-0006-7000-8000-' || lpad(p.number::text, 12, '0'))::uuid,
  p.name, platform.slugify(p.name), p.description, p.sku, p.price, 'USD', p.compare_at_price, p.cost_per_item,
  p.status, p.featured, p.tags::text[], now() - make_interval(days => 200 - p.number * 7)
FROM (VALUES
  (1, 'Tamarack 2 Tent', 'AP-TAMARACK-2', 38900, 42900, 17400, 'ACTIVE', true, '{tent,three-season,two-person}',
    'Freestanding shelter for two with a wide vestibule on each side. 1.6 kg with poles and stakes.'),
  (2, 'Larch Solo Tent', 'AP-LARCH-1', 29900, NULL, 13100, 'ACTIVE', false, '{tent,three-season,solo}',
    'Pitches with one trekking pole and packs to the size of a loaf of bread. 840 g.'),
  (3, 'Ridgeline Tarp', 'AP-RIDGE-TARP', 11900, NULL, 4800, 'ACTIVE', false, '{tarp,ultralight}',
    'A flat tarp of 3 by 3 metres with sixteen tie-outs. 410 g.'),
  (4, 'Hollow Creek Sleeping Bag', 'AP-HOLLOW-20', 27900, 31900, 12500, 'ACTIVE', true, '{sleeping-bag,down}',
    'Comfortable to -6 °C. 800-fill responsibly sourced down in a relaxed mummy cut.'),
  (5, 'Nightjar Quilt', 'AP-NIGHTJAR', 24900, NULL, 11200, 'ACTIVE', false, '{quilt,down,ultralight}',
    'A quilt for side sleepers, with pad straps and a closed foot box. 560 g.'),
  (6, 'Mossbed Insulated Pad', 'AP-MOSSBED', 15900, NULL, 6400, 'ACTIVE', false, '{pad,insulated}',
    'Eight centimetres of air with an R-value of 4.2, and no crinkle.'),
  (7, 'Switchback 55 Pack', 'AP-SWITCH-55', 24900, NULL, 10900, 'ACTIVE', true, '{pack,backpacking}',
    'Carries fifteen kilograms as if it were ten. Removable frame and lid.'),
  (8, 'Cairn 28 Daypack', 'AP-CAIRN-28', 12900, 14900, 5200, 'ACTIVE', false, '{pack,daypack}',
    'A daypack with a ventilated back and room for a layer, lunch and a litre more than you need.'),
  (9, 'Towhee Hip Pack', 'AP-TOWHEE', 4900, NULL, 1700, 'ACTIVE', false, '{pack,running}',
    'Two litres for keys, a phone and a wind jacket.'),
  (10, 'Stormline Rain Jacket', 'AP-STORMLINE', 22900, NULL, 9600, 'ACTIVE', true, '{jacket,rain,pfas-free}',
    'Three layers, taped seams, pit zips. Waterproof without fluorocarbons.'),
  (11, 'Ember Down Hoody', 'AP-EMBER', 26900, 29900, 11800, 'ACTIVE', false, '{jacket,down}',
    'A hooded jacket that disappears into its own pocket. 340 g in size M.'),
  (12, 'Meadow Wind Shirt', 'AP-MEADOW-WIND', 9900, NULL, 3600, 'ACTIVE', false, '{jacket,wind}',
    'A wind shirt of 92 grams for everything between still and storm.'),
  (13, 'Merino 150 Crew', 'AP-MERINO-150', 7900, NULL, 3100, 'ACTIVE', false, '{merino,base-layer}',
    'A light crew of New Zealand merino that can be worn for a week.'),
  (14, 'Merino 250 Tights', 'AP-MERINO-250T', 9500, NULL, 3900, 'ACTIVE', false, '{merino,base-layer}',
    'Warm tights with flat seams for cold camps.'),
  (15, 'Foothill Mid Boot', 'AP-FOOTHILL', 18900, NULL, 8100, 'ACTIVE', true, '{boots,waterproof}',
    'A light boot with a waterproof lining and a sole that can be replaced.'),
  (16, 'Sandstone Trail Shoe', 'AP-SANDSTONE', 13900, NULL, 5700, 'ACTIVE', false, '{shoes,running}',
    'A trail shoe with a wide toe box and four millimetres of drop.'),
  (17, 'Trail Crew Socks', 'AP-SOCKS-CREW', 2200, NULL, 700, 'ACTIVE', false, '{socks,merino}',
    'Merino socks with a cushioned heel. Guaranteed for life.'),
  (18, 'Kindle Wood Stove', 'AP-KINDLE', 8900, NULL, 3300, 'ACTIVE', false, '{stove,wood}',
    'A folding stove of titanium that burns twigs.'),
  (19, 'Spark Canister Stove', 'AP-SPARK', 5900, 6900, 2100, 'ACTIVE', false, '{stove,gas}',
    'Boils half a litre in under three minutes. 74 g.'),
  (20, 'Titanium Pot 900', 'AP-POT-900', 6900, NULL, 2600, 'ACTIVE', false, '{cookware,titanium}',
    'A pot of 900 ml with folding handles and a lid that strains.'),
  (21, 'Camp Mug', 'AP-MUG', 1800, NULL, 500, 'ACTIVE', false, '{cookware}',
    'Enamelled steel. Gets better with dents.'),
  (22, 'Polaris Headlamp', 'AP-POLARIS', 6400, NULL, 2300, 'ACTIVE', true, '{light,rechargeable}',
    '450 lumens, a red mode, and a lock so that it does not light your pack.'),
  (23, 'Baseplate Compass', 'AP-COMPASS', 3900, NULL, 1300, 'ACTIVE', false, '{navigation}',
    'A liquid-filled compass with adjustable declination.'),
  (24, 'Snowfield 4 Expedition Tent', 'AP-SNOWFIELD-4', 89900, NULL, 41000, 'DRAFT', false, '{tent,four-season}',
    'Four poles, four people, four seasons. Coming this winter.')
) AS p (number, name, sku, price, compare_at_price, cost_per_item, status, featured, tags, description)
ON CONFLICT DO NOTHING;

INSERT INTO catalog.product_category (merchant_id, product_id, category_id)
SELECT
  '01a1f000-0001-7000-8000-000000000001',
  ('01a1f000-0006-7000-8000-' || lpad(c.product::text, 12, '0'))::uuid,
  ('01a1f000-0005-7000-8000-' || lpad(c.category::text, 12, '0'))::uuid
FROM (VALUES
  (1, 1), (2, 1), (3, 1), (24, 1), (4, 2), (5, 2), (6, 2), (7, 3), (8, 3), (9, 3),
  (10, 4), (10, 5), (11, 4), (11, 5), (12, 4), (12, 5), (13, 4), (13, 6), (14, 4), (14, 6),
  (15, 7), (16, 7), (17, 7), (17, 4), (18, 8), (18, 9), (19, 8), (19, 9), (20, 8), (20, 10), (21, 8), (21, 10), (22, 11), (23, 11)
) AS c (product, category)
ON CONFLICT DO NOTHING;

-- Sizes and colours. A variant without a price has its product's price.
INSERT INTO catalog.product_variant (merchant_id, id, product_id, sku, price, position)
SELECT
  '01a1f000-0001-7000-8000-000000000001',
  ('01a1f000-0007-7000-8000-' || lpad(v.number::text, 12, '0'))::uuid,
  ('01a1f000-0006-7000-8000-' || lpad(v.product::text, 12, '0'))::uuid,
  v.sku, v.price::bigint, v.number % 10
FROM (VALUES
  (41, 4, 'AP-HOLLOW-20-R', NULL), (42, 4, 'AP-HOLLOW-20-L', 29900),
  (71, 7, 'AP-SWITCH-55-SM', NULL), (72, 7, 'AP-SWITCH-55-ML', NULL),
  (101, 10, 'AP-STORMLINE-S', NULL), (102, 10, 'AP-STORMLINE-M', NULL), (103, 10, 'AP-STORMLINE-L', NULL), (104, 10, 'AP-STORMLINE-XL', 23900),
  (111, 11, 'AP-EMBER-S', NULL), (112, 11, 'AP-EMBER-M', NULL), (113, 11, 'AP-EMBER-L', NULL),
  (131, 13, 'AP-MERINO-150-S', NULL), (132, 13, 'AP-MERINO-150-M', NULL), (133, 13, 'AP-MERINO-150-L', NULL),
  (151, 15, 'AP-FOOTHILL-41', NULL), (152, 15, 'AP-FOOTHILL-42', NULL), (153, 15, 'AP-FOOTHILL-43', NULL), (154, 15, 'AP-FOOTHILL-44', NULL)
) AS v (number, product, sku, price)
ON CONFLICT DO NOTHING;

INSERT INTO catalog.variant_option (merchant_id, variant_id, name, value)
SELECT
  '01a1f000-0001-7000-8000-000000000001',
  ('01a1f000-0007-7000-8000-' || lpad(o.variant::text, 12, '0'))::uuid,
  o.name, o.value
FROM (VALUES
  (41, 'Length', 'Regular'), (42, 'Length', 'Long'), (71, 'Torso', 'S/M'), (72, 'Torso', 'M/L'),
  (101, 'Size', 'S'), (102, 'Size', 'M'), (103, 'Size', 'L'), (104, 'Size', 'XL'),
  (111, 'Size', 'S'), (112, 'Size', 'M'), (113, 'Size', 'L'), (131, 'Size', 'S'), (132, 'Size', 'M'), (133, 'Size', 'L'),
  (151, 'Size', '41'), (152, 'Size', '42'), (153, 'Size', '43'), (154, 'Size', '44')
) AS o (variant, name, value)
ON CONFLICT DO NOTHING;

-- Two pictures each: the product, and the product in use. The host is a reserved name that can't be registered.
INSERT INTO catalog.product_image (merchant_id, id, product_id, url, alt, width, height, position)
SELECT
  p.merchant_id,
  ('01a1f000-0008-7000-8000-' || lpad((right(p.id::text, 12)::integer * 10 + i.position)::text, 12, '0'))::uuid,
  p.id,
  format('https://images.alderandpine.example/products/%s/%s.jpg', p.slug, i.view),
  p.name || i.suffix, 1600, 1200, i.position
FROM catalog.product p
CROSS JOIN (VALUES (0, 'front', ''), (1, 'outdoors', ', in use')) AS i (position, view, suffix)
WHERE p.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND p.id::text LIKE '01a1f000-0006-7000-8000-%'
  AND p.deleted_at IS NULL
ON CONFLICT DO NOTHING;

-- What the shop keeps with its products: public values, of which shoppers narrow searches down by the first two, and one of its own.
INSERT INTO metadata.definition
  (merchant_id, id, owner_type, private, namespace, key, type, name, description, choices, min, is_attribute)
SELECT
  '01a1f000-0001-7000-8000-000000000001',
  ('01a1f000-0070-7000-8000-' || lpad(d.number::text, 12, '0'))::uuid,
  'PRODUCT', d.private, d.namespace, d.key, d.type, d.name, d.description, d.choices::text[], d.min, d.is_attribute
FROM (VALUES
  (1, false, 'spec', 'weightGrams', 'INTEGER', 'Weight in grams', 'With everything that belongs to it', NULL, 1, true),
  (2, false, 'spec', 'seasons', 'LIST_OF_TEXT', 'Seasons', NULL, '{spring,summer,autumn,winter}', 1, true),
  (3, false, 'spec', 'manual', 'URL', 'Manual', NULL, NULL, NULL, false),
  (4, true, 'erp', 'reorderPoint', 'INTEGER', 'Reorder point', 'Units below which the supplier is asked', NULL, 0, false)
) AS d (number, private, namespace, key, type, name, description, choices, min, is_attribute)
ON CONFLICT DO NOTHING;

UPDATE catalog.product p
SET external_id = m.external_id, metadata = m.metadata::jsonb, private_metadata = m.private_metadata::jsonb
FROM (VALUES
  ('AP-TAMARACK-2', 'erp-10001', '{"spec": {"weightGrams": 1600, "seasons": ["spring", "summer", "autumn"]}}', '{"erp": {"reorderPoint": 8}}'),
  ('AP-LARCH-1', 'erp-10002', '{"spec": {"weightGrams": 840, "seasons": ["summer"]}}', '{"erp": {"reorderPoint": 6}}'),
  ('AP-RIDGE-TARP', 'erp-10003', '{"spec": {"weightGrams": 410, "seasons": ["summer"]}}', '{}'),
  ('AP-EMBER', 'erp-10011', '{"spec": {"weightGrams": 340, "seasons": ["autumn", "winter"]}}', '{"erp": {"reorderPoint": 12}}')
) AS m (sku, external_id, metadata, private_metadata)
WHERE p.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND p.sku = m.sku AND p.deleted_at IS NULL AND p.external_id IS NULL;
