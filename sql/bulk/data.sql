INSERT INTO merchant.permission (name, description)
VALUES
  ('imports:read', 'See imports, and why rows are refused'),
  ('imports:write', 'Import products, customers and orders with their history from files');

INSERT INTO merchant.permission (name, description)
VALUES
  ('exports:read', 'See exports, with the files of those that were begun with no other permissions than one''s own'),
  ('exports:write', 'Export what one may see to files');
