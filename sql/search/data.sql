INSERT INTO merchant.permission (name, description)
VALUES
  ('articles:read', 'See articles, those that are not published as well'),
  ('articles:write', 'Create, change and delete articles');
