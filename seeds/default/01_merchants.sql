-- The two demo merchants: account, plan, settings and shipping.

INSERT INTO merchant.merchant (id, name, email, phone, website, created_at) VALUES
  ('01a1f000-0001-7000-8000-000000000001', 'Alder & Pine Outfitters', 'hello@alderandpine.example', '+1 541 555 0142', 'https://www.alderandpine.example', now() - interval '400 days'),
  ('01a1f000-0001-7000-8000-000000000002', 'Kestrel Coffee Roasters', 'hallo@kestrelcoffee.example', '+49 40 5550 117', 'https://www.kestrelcoffee.example', now() - interval '200 days')
ON CONFLICT DO NOTHING;

INSERT INTO merchant.subscription (merchant_id, plan, status, current_period_start, current_period_end) VALUES
  ('01a1f000-0001-7000-8000-000000000001', 'ENTERPRISE', 'ACTIVE', date_trunc('month', now()), date_trunc('month', now()) + interval '1 month'),
  ('01a1f000-0001-7000-8000-000000000002', 'STARTER', 'TRIALING', date_trunc('month', now()), date_trunc('month', now()) + interval '1 month')
ON CONFLICT DO NOTHING;

INSERT INTO merchant.settings (merchant_id, currency, timezone, tax_rate, accepts_bank_transfer) VALUES
  ('01a1f000-0001-7000-8000-000000000001', 'USD', 'America/Los_Angeles', 0.0825, true),
  ('01a1f000-0001-7000-8000-000000000002', 'EUR', 'Europe/Berlin', 0.07, false)
ON CONFLICT DO NOTHING;

INSERT INTO merchant.shipping_zone (merchant_id, id, name, countries) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0002-7000-8000-000000000001', 'United States', '{US,United States}'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0002-7000-8000-000000000002', 'Rest of the world', '{}'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0002-7000-8000-000000000003', 'Germany', '{DE,Germany}')
ON CONFLICT DO NOTHING;

INSERT INTO merchant.shipping_method (merchant_id, id, shipping_zone_id, name, price) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0003-7000-8000-000000000001', '01a1f000-0002-7000-8000-000000000001', 'Ground (3 to 5 days)', 795),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0003-7000-8000-000000000002', '01a1f000-0002-7000-8000-000000000001', 'Express (next day)', 2495),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0003-7000-8000-000000000003', '01a1f000-0002-7000-8000-000000000002', 'International (7 to 12 days)', 3900),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0003-7000-8000-000000000004', '01a1f000-0002-7000-8000-000000000003', 'Paket', 490)
ON CONFLICT DO NOTHING;
