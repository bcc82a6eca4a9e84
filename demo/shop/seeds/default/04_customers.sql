-- Alder & Pine's customers, their addresses and reviews.

INSERT INTO crm.customer
  (merchant_id, id, email, name, phone, marketing_opt_in, email_verified, tags, created_at)
SELECT
  '01a1f000-0001-7000-8000-000000000001',
  ('01a1f000-0009-7000-8000-' || lpad(c.number::text, 12, '0'))::uuid,
  c.email, c.name, c.phone, c.opt_in, c.verified, c.tags::text[], now() - make_interval(days => 150 - c.number * 11)
FROM (VALUES
  (1, 'mira.okafor@mail.example', 'Mira Okafor', '+1 503 555 0101', true, true, '{wholesale,vip}'),
  (2, 'jonas.lindqvist@mail.example', 'Jonas Lindqvist', '+46 8 555 0102', true, true, '{}'),
  (3, 'priya.raman@mail.example', 'Priya Raman', '+1 415 555 0103', false, true, '{}'),
  (4, 'tomas.herrera@mail.example', 'Tomás Herrera', '+1 720 555 0104', true, true, '{guide}'),
  (5, 'ada.whitcombe@mail.example', 'Ada Whitcombe', '+44 20 5550 105', false, true, '{}'),
  (6, 'kenji.mori@mail.example', 'Kenji Mori', '+1 206 555 0106', true, false, '{}'),
  (7, 'lena.fischer@mail.example', 'Lena Fischer', '+49 30 5550 107', true, true, '{}'),
  (8, 'samuel.adeyemi@mail.example', 'Samuel Adeyemi', '+1 312 555 0108', false, true, '{}'),
  (9, 'ines.carvalho@mail.example', 'Inês Carvalho', '+1 617 555 0109', true, true, '{}'),
  (10, 'walt.brannigan@mail.example', 'Walt Brannigan', NULL, false, true, '{guide}')
) AS c (number, email, name, phone, opt_in, verified, tags)
ON CONFLICT DO NOTHING;

-- A point for every dollar, from before the first order. Points are valid for two years.
UPDATE crm.loyalty_program g SET enabled = true, earn_points = 1, earn_amount = 100, points_expire_after_days = 730
WHERE g.merchant_id = '01a1f000-0001-7000-8000-000000000001'
  AND NOT EXISTS (SELECT FROM crm.loyalty_tier t WHERE t.merchant_id = g.merchant_id);
INSERT INTO crm.loyalty_tier (merchant_id, id, name, threshold, benefits) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0031-7000-8000-000000000001', 'Trail', 50, 'Free patches and seam tape.'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0031-7000-8000-000000000002', 'Ridge', 300, 'Free repairs, and sales a day early.'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0031-7000-8000-000000000003', 'Summit', 600, 'All of that, and a fitting with Ruth whenever you like.')
ON CONFLICT DO NOTHING;
INSERT INTO crm.loyalty_reward (merchant_id, id, name, description, points, discount_amount, min_purchase_amount, valid_days) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0032-7000-8000-000000000001', '$5 off', 'Five dollars off your next order.', 100, 500, NULL, 90),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0032-7000-8000-000000000002', '$30 off', 'Thirty dollars off an order of 100 or more.', 500, 3000, 10000, 90)
ON CONFLICT DO NOTHING;

INSERT INTO crm.address (merchant_id, id, customer_id, line1, line2, city, state, postal_code, country, is_default)
SELECT
  '01a1f000-0001-7000-8000-000000000001',
  ('01a1f000-000a-7000-8000-' || lpad(a.number::text, 12, '0'))::uuid,
  ('01a1f000-0009-7000-8000-' || lpad((a.number % 100)::text, 12, '0'))::uuid,
  a.line1, a.line2, a.city, a.state, a.postal_code, a.country, a.number < 100
FROM (VALUES
  (1, '2217 NE Alberta Street', 'Apt 4', 'Portland', 'OR', '97211', 'US'),
  (2, 'Götgatan 41', NULL, 'Stockholm', 'Stockholms län', '116 21', 'SE'),
  (3, '880 Valencia Street', NULL, 'San Francisco', 'CA', '94110', 'US'),
  (4, '315 Pearl Street', NULL, 'Boulder', 'CO', '80302', 'US'),
  (5, '12 Camden Row', NULL, 'London', 'Greater London', 'SE10 8EP', 'GB'),
  (6, '4009 Fremont Avenue N', 'Unit 12', 'Seattle', 'WA', '98103', 'US'),
  (7, 'Oranienstraße 98', NULL, 'Berlin', 'Berlin', '10969', 'DE'),
  (8, '1520 N Damen Avenue', NULL, 'Chicago', 'IL', '60622', 'US'),
  (9, '77 Inman Street', '2nd floor', 'Cambridge', 'MA', '02139', 'US'),
  (10, '6 Old Mill Road', NULL, 'Bozeman', 'MT', '59715', 'US'),
  -- A second address, by the number of its customer plus one hundred.
  (101, '700 SW 5th Avenue', 'Suite 900', 'Portland', 'OR', '97204', 'US'),
  (104, 'PO Box 218', NULL, 'Estes Park', 'CO', '80517', 'US')
) AS a (number, line1, line2, city, state, postal_code, country)
-- A deleted customer stays deleted, and a default address stays the default.
WHERE EXISTS (
  SELECT FROM crm.customer c
  WHERE c.merchant_id = '01a1f000-0001-7000-8000-000000000001'
    AND c.id = ('01a1f000-0009-7000-8000-' || lpad((a.number % 100)::text, 12, '0'))::uuid
) AND NOT EXISTS (
  SELECT FROM crm.address e
  WHERE e.merchant_id = '01a1f000-0001-7000-8000-000000000001'
    AND e.id = ('01a1f000-000a-7000-8000-' || lpad(a.number::text, 12, '0'))::uuid
)
ORDER BY a.number
ON CONFLICT DO NOTHING;

INSERT INTO catalog.review (merchant_id, id, product_id, customer_id, author_name, rating, title, body, status, created_at)
SELECT
  p.merchant_id,
  ('01a1f000-000b-7000-8000-' || lpad(r.number::text, 12, '0'))::uuid,
  p.id, c.id, coalesce(c.name, 'A customer'), r.rating, r.title, r.body, r.status, now() - make_interval(days => 60 - r.number * 3)
FROM (VALUES
  (1, 'AP-TAMARACK-2', 1, 5, 'Dry after three days of rain', 'Pitched it in a storm on the Olympic coast. Not a drop inside.', 'APPROVED'),
  (2, 'AP-TAMARACK-2', 4, 4, 'Great, if you have short poles', 'Roomy and light. The vestibule zip wants two hands.', 'APPROVED'),
  (3, 'AP-HOLLOW-20', 5, 5, NULL, 'Slept warm at minus five with a thin base layer.', 'APPROVED'),
  (4, 'AP-STORMLINE', 2, 4, 'Breathes better than my old one', 'Pit zips are worth it. Sleeves run a little long.', 'APPROVED'),
  (5, 'AP-STORMLINE', 7, 5, 'Endlich ohne PFAS', 'Hält dicht und fühlt sich gut an.', 'APPROVED'),
  (6, 'AP-SWITCH-55', 10, 5, 'Carried an elk quarter', 'Not what it is made for. It did not complain.', 'APPROVED'),
  (7, 'AP-FOOTHILL', 3, 3, 'Narrow', 'Good grip, but go up half a size.', 'APPROVED'),
  (8, 'AP-SOCKS-CREW', 8, 5, NULL, 'Two years, no holes.', 'APPROVED'),
  (9, 'AP-SPARK', 9, 4, 'Fast and loud', 'Boils before I find the coffee.', 'APPROVED'),
  (10, 'AP-POLARIS', 1, 5, NULL, 'The lock alone is worth the price.', 'APPROVED'),
  (11, 'AP-MUG', 6, 2, 'Chipped', 'Arrived with a chip in the rim.', 'PENDING'),
  (12, 'AP-MOSSBED', 4, 5, 'Quiet', 'My tent mate noticed nothing when I turned around.', 'APPROVED')
) AS r (number, sku, customer, rating, title, body, status)
JOIN catalog.product p
  ON p.merchant_id = '01a1f000-0001-7000-8000-000000000001' AND p.sku = r.sku AND p.deleted_at IS NULL
LEFT JOIN crm.customer c
  ON c.merchant_id = p.merchant_id AND c.id = ('01a1f000-0009-7000-8000-' || lpad(r.customer::text, 12, '0'))::uuid
ON CONFLICT DO NOTHING;
