-- The two demo merchants: account, plan, settings and shipping.

INSERT INTO merchant.merchant (id, name, email, phone, website, created_at) VALUES
  ('01a1f000-0001-7000-8000-000000000001', 'Alder & Pine Outfitters', 'hello@alderandpine.example', '+1 541 555 0142', 'https://www.alderandpine.example', now() - interval '400 days'),
  ('01a1f000-0001-7000-8000-000000000002', 'Kestrel Coffee Roasters', 'hallo@kestrelcoffee.example', '+49 40 5550 117', 'https://www.kestrelcoffee.example', now() - interval '200 days')
ON CONFLICT DO NOTHING;

-- Every merchant has a plan and settings from the start. A shop that was seeded before keeps its changes.
UPDATE merchant.subscription s
SET plan = d.plan, status = d.status, current_period_start = date_trunc('month', now()),
  current_period_end = date_trunc('month', now()) + interval '1 month', periods_since = date_trunc('month', now())
FROM (VALUES
  ('01a1f000-0001-7000-8000-000000000001'::uuid, 'ENTERPRISE', 'ACTIVE'),
  ('01a1f000-0001-7000-8000-000000000002', 'STARTER', 'TRIALING')
) AS d (merchant_id, plan, status)
WHERE s.merchant_id = d.merchant_id
  AND NOT EXISTS (SELECT FROM merchant.shipping_zone z WHERE z.merchant_id = s.merchant_id);

UPDATE merchant.settings s
SET currency = d.currency, timezone = d.timezone, tax_rate = d.tax_rate, accepts_bank_transfer = d.accepts_bank_transfer
FROM (VALUES
  ('01a1f000-0001-7000-8000-000000000001'::uuid, 'USD', 'America/Los_Angeles', 0.0825, true),
  ('01a1f000-0001-7000-8000-000000000002', 'EUR', 'Europe/Berlin', 0.07, false)
) AS d (merchant_id, currency, timezone, tax_rate, accepts_bank_transfer)
WHERE s.merchant_id = d.merchant_id
  AND NOT EXISTS (SELECT FROM merchant.shipping_zone z WHERE z.merchant_id = s.merchant_id);

INSERT INTO merchant.shipping_zone (merchant_id, id, name, countries) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0002-7000-8000-000000000001', 'United States', '{US}'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0002-7000-8000-000000000002', 'Rest of the world', '{}'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0002-7000-8000-000000000003', 'Germany', '{DE}')
ON CONFLICT DO NOTHING;

INSERT INTO merchant.shipping_method (merchant_id, id, shipping_zone_id, name, price) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0003-7000-8000-000000000001', '01a1f000-0002-7000-8000-000000000001', 'Ground (3 to 5 days)', 795),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0003-7000-8000-000000000002', '01a1f000-0002-7000-8000-000000000001', 'Express (next day)', 2495),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0003-7000-8000-000000000003', '01a1f000-0002-7000-8000-000000000002', 'International (7 to 12 days)', 3900),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0003-7000-8000-000000000004', '01a1f000-0002-7000-8000-000000000003', 'Paket', 490)
ON CONFLICT DO NOTHING;
