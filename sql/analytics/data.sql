INSERT INTO merchant.permission (name, description)
VALUES
  ('analytics:read', 'See reports, dashboards and the figures of products'),
  ('analytics:write', 'Create, change and delete dashboards');
