-- How Alder & Pine groups its customers; one group of Kestrel's as well.

INSERT INTO crm.segment
  (merchant_id, id, name, description, total_spent_min, order_count_min, no_order_for_days, tags, countries, marketing_opt_in)
VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000001', 'Newsletter', 'Everybody who wants to hear from us.', NULL, NULL, NULL, NULL, NULL, true),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000002', 'Best customers', 'Spent 500 dollars or more.', 50000, NULL, NULL, NULL, NULL, NULL),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000003', 'Win back', 'Bought once, and not for a month; wants mail.', NULL, 1, 30, NULL, NULL, true),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000004', 'Guides', 'For the pro deal.', NULL, NULL, NULL, '{guide}', NULL, NULL),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000005', 'Europe', 'Ships from Rotterdam one day.', NULL, NULL, NULL, NULL, '{SE,DE,GB}', NULL),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0030-7000-8000-000000000901', 'Everybody', NULL, NULL, NULL, NULL, NULL, NULL, NULL)
ON CONFLICT DO NOTHING;

INSERT INTO crm.segment (merchant_id, id, name, description, loyalty_tier_ids) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000006', 'Ridge and above', 'Hear of sales a day early.',
   '{01a1f000-0031-7000-8000-000000000002,01a1f000-0031-7000-8000-000000000003}')
ON CONFLICT DO NOTHING;

-- The ledger has the points of orders already; these have other sources.
SELECT crm.hold_loyalty_account(c.merchant_id, c.id) FROM crm.customer c WHERE c.merchant_id = '01a1f000-0001-7000-8000-000000000001';
INSERT INTO crm.loyalty_entry (merchant_id, id, customer_id, type, points, reason, expires_at)
SELECT
  a.merchant_id, ('01a1f000-0033-7000-8000-' || lpad(e.customer::text, 12, '0'))::uuid, a.customer_id, 'ADJUSTED', e.points, e.reason,
  crm.points_expire_at(a.merchant_id)
FROM (VALUES
  (1, 400, 'Brought over from the stamp card'),
  (4, 95, 'Led the spring trail day'),
  (8, 45, 'Sorry about the late parcel')
) AS e (customer, points, reason)
JOIN crm.loyalty_account a
  ON a.merchant_id = '01a1f000-0001-7000-8000-000000000001'
  AND a.customer_id = ('01a1f000-0009-7000-8000-' || lpad(e.customer::text, 12, '0'))::uuid
-- Not with ON CONFLICT, because the account would change before the conflict is found.
WHERE NOT EXISTS (
  SELECT FROM crm.loyalty_entry x
  WHERE x.merchant_id = a.merchant_id AND x.id = ('01a1f000-0033-7000-8000-' || lpad(e.customer::text, 12, '0'))::uuid
);

-- Mira Okafor buys for a climbing school; Walt Brannigan guides hunters.
INSERT INTO crm.contact (merchant_id, id, customer_id, name, title, email, phone)
SELECT '01a1f000-0001-7000-8000-000000000001', ('01a1f000-0034-7000-8000-' || lpad(p.number::text, 12, '0'))::uuid, c.id, p.name, p.title, p.email, p.phone
FROM (VALUES
  (1, 1, 'Mira Okafor', 'Owner', 'mira.okafor@mail.example', '+1 503 555 0101'),
  (2, 1, 'Theo Brandt', 'Gear room', 'theo@stonehand.example', '+1 503 555 0171'),
  (3, 10, 'June Brannigan', 'Bookkeeping', 'june@brannigan.example', NULL)
) AS p (number, customer, name, title, email, phone)
JOIN crm.customer c
  ON c.merchant_id = '01a1f000-0001-7000-8000-000000000001'
  AND c.id = ('01a1f000-0009-7000-8000-' || lpad(p.customer::text, 12, '0'))::uuid
ON CONFLICT DO NOTHING;

INSERT INTO crm.interaction (merchant_id, id, customer_id, contact_id, type, subject, body, author, occurred_at)
SELECT
  c.merchant_id, ('01a1f000-0035-7000-8000-' || lpad(i.number::text, 12, '0'))::uuid, c.id,
  ('01a1f000-0034-7000-8000-' || lpad(i.contact::text, 12, '0'))::uuid, i.type, i.subject, i.body, i.author, now() - make_interval(days => i.days)
FROM (VALUES
  (1, 1, 2, 'CALL', 'Ropes for the spring course', 'Needs twelve by the first of the month; sent a quote.', 'Ruth Calder', 40),
  (2, 1, 1, 'EMAIL', 'Wholesale terms', 'Thirty days, as last year.', 'Ruth Calder', 33),
  (3, 1, 2, 'MEETING', 'Gear check', 'Went through the harnesses together. Two are due for retirement.', 'Dev Sandhu', 12),
  (4, 10, 3, 'CALL', 'Invoice address', NULL, 'Dev Sandhu', 9),
  (5, 4, NULL, 'NOTE', 'Leads trail days', 'Good to ask for a talk in autumn.', 'Noa Lindgren', 3)
) AS i (number, customer, contact, type, subject, body, author, days)
JOIN crm.customer c
  ON c.merchant_id = '01a1f000-0001-7000-8000-000000000001'
  AND c.id = ('01a1f000-0009-7000-8000-' || lpad(i.customer::text, 12, '0'))::uuid
ON CONFLICT DO NOTHING;
