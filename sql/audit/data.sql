INSERT INTO merchant.permission (name, description)
VALUES
  ('audit:read', 'See who did what: changes and refused access');

SELECT audit.prepare_months();
