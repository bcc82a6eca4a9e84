-- Alder & Pine's staff and their roles. They have no passwords yet: an invitation sets one.

INSERT INTO identity.user (merchant_id, id, email, name, phone, status, email_verified, created_at) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0020-7000-8000-000000000001', 'mara@alderandpine.example', 'Mara Alder', '+1 541 555 0143', 'ACTIVE', true, now() - interval '400 days'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0020-7000-8000-000000000002', 'ruth@alderandpine.example', 'Ruth Calder', '+1 541 555 0151', 'ACTIVE', true, now() - interval '390 days'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0020-7000-8000-000000000003', 'dev@alderandpine.example', 'Dev Sandhu', '+1 541 555 0152', 'ACTIVE', true, now() - interval '120 days'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0020-7000-8000-000000000004', 'sam@alderandpine.example', 'Sam Ortiz', NULL, 'SUSPENDED', true, now() - interval '300 days'),
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0020-7000-8000-000000000005', 'kit@alderandpine.example', 'Kit Marsh', NULL, 'INACTIVE', false, now() - interval '2 days'),
  ('01a1f000-0001-7000-8000-000000000002', '01a1f000-0020-7000-8000-000000000901', 'frauke@kestrelcoffee.example', 'Frauke Behrens', NULL, 'ACTIVE', true, now() - interval '200 days')
ON CONFLICT DO NOTHING;

INSERT INTO identity.role (merchant_id, id, name, description, permissions) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0021-7000-8000-000000000001', 'Warehouse', 'Packs orders and counts stock', '{inventory:read,inventory:write,orders:read,orders:write,products:read}')
ON CONFLICT DO NOTHING;

INSERT INTO identity.user_role (merchant_id, user_id, role_id)
SELECT u.merchant_id, u.id, r.id
FROM (VALUES
  ('mara@alderandpine.example', 'Owner'),
  ('ruth@alderandpine.example', 'Manager'),
  ('dev@alderandpine.example', 'Warehouse'),
  ('dev@alderandpine.example', 'Support'),
  ('sam@alderandpine.example', 'Support'),
  ('kit@alderandpine.example', 'Read-only'),
  ('frauke@kestrelcoffee.example', 'Owner')
) AS g (email, role)
JOIN identity.user u ON u.email = g.email::citext
JOIN identity.role r ON r.merchant_id = u.merchant_id AND r.name = g.role::citext
ON CONFLICT DO NOTHING;
