INSERT INTO merchant.permission (name, description)
VALUES
  ('imports:read', 'See imports, and why rows are refused'),
  ('imports:write', 'Import products, customers and orders with their history from files');
