INSERT INTO merchant.permission (name, description)
VALUES
  ('promotions:write', 'Create, change and delete promotions and their campaigns');
