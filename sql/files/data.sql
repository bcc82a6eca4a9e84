INSERT INTO merchant.permission (name, description)
VALUES
  ('files:read', 'See uploaded files, and download them'),
  ('files:write', 'Upload and delete files');
