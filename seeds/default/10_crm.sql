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
