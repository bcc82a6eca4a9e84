-- How Alder & Pine groups its customers; one group of Kestrel's as well.

INSERT INTO crm.segment
  (merchant_id, id, name, description, total_spent_min, order_count_min, no_order_for_days, tags, countries, marketing_opt_in)
VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000001', 'Newsletter', 'Everybody who wants to hear from us.', NULL, NULL, NULL, NULL, NULL, true),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000002', 'Best customers', 'Spent 500 dollars or more.', 50000, NULL, NULL, NULL, NULL, NULL),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000003', 'Win back', 'Bought once, and not for a month; wants mail.', NULL, 1, 30, NULL, NULL, true),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000004', 'Guides', 'For the pro deal.', NULL, NULL, NULL, '{guide}', NULL, NULL),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000005', 'Europe', 'Ships from Rotterdam one day.', NULL, NULL, NULL, NULL, '{Sweden,Germany,"United Kingdom"}', NULL),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0030-7000-8000-000000000901', 'Everybody', NULL, NULL, NULL, NULL, NULL, NULL, NULL)
ON CONFLICT DO NOTHING;

INSERT INTO crm.segment (merchant_id, id, name, description, loyalty_tier_ids) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0030-7000-8000-000000000006', 'Ridge and above', 'Hear of sales a day early.',
   '{01a1f000-0031-7000-8000-000000000002,01a1f000-0031-7000-8000-000000000003}')
ON CONFLICT DO NOTHING;

-- What orders earned is in the ledger already; some came from elsewhere.
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
-- Not by ON CONFLICT, which would find out after the account has moved.
WHERE NOT EXISTS (
  SELECT FROM crm.loyalty_entry x
  WHERE x.merchant_id = a.merchant_id AND x.id = ('01a1f000-0033-7000-8000-' || lpad(e.customer::text, 12, '0'))::uuid
);
