INSERT INTO merchant.permission (name, description)
VALUES
  ('email:read', 'See e-mail templates, campaigns and the log of deliveries'),
  ('email:write', 'Change e-mail templates and campaigns, send campaigns and failed messages again');
