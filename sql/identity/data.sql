INSERT INTO merchant.permission (name, description)
VALUES
  ('users:read', 'See the merchant''s users'),
  ('users:write', 'Invite, change, suspend and delete users, and give them roles'),
  ('roles:read', 'See roles and what they permit'),
  ('roles:write', 'Create, change and delete roles'),
  ('billing:write', 'Change, cancel and resume the merchant''s plan');

INSERT INTO identity.built_in_role (kind, name, description)
VALUES
  ('OWNER', 'Owner', 'Everything, the plan included'),
  ('ADMIN', 'Admin', 'Everything but the plan'),
  ('MANAGER', 'Manager', 'Runs the shop; sees the account, its users and keys, and leaves them as they are'),
  ('SUPPORT', 'Support', 'Helps customers with their carts, orders and appointments'),
  ('READ_ONLY', 'Read-only', 'Sees everything and changes nothing');

INSERT INTO merchant.permission (name, description)
VALUES
  ('customer_sessions:write', 'Sign customers up and in with their e-mail address and password'),
  ('user_sessions:write', 'Sign users in with their e-mail address and password');
