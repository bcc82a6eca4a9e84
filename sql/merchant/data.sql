INSERT INTO merchant.plan_feature (plan, feature)
VALUES
  ('FREE', 'catalog'),
  ('FREE', 'orders'),
  ('FREE', 'payments'),
  ('STARTER', 'catalog'),
  ('STARTER', 'orders'),
  ('STARTER', 'payments'),
  ('STARTER', 'multiple_warehouses'),
  ('PRO', 'catalog'),
  ('PRO', 'orders'),
  ('PRO', 'payments'),
  ('PRO', 'multiple_warehouses'),
  ('PRO', 'ip_allow_list'),
  ('ENTERPRISE', 'catalog'),
  ('ENTERPRISE', 'orders'),
  ('ENTERPRISE', 'payments'),
  ('ENTERPRISE', 'multiple_warehouses'),
  ('ENTERPRISE', 'ip_allow_list');

INSERT INTO merchant.permission (name, description)
VALUES
  ('products:read', 'See products, variants, images, categories and reviews'),
  ('products:write', 'Create, change and delete products, variants, images, categories and reviews'),
  ('inventory:read', 'See stock levels, warehouses and reservations'),
  ('inventory:write', 'Change stock levels and warehouses, reserve stock'),
  ('customers:read', 'See customers and their addresses'),
  ('customers:write', 'Create, change and delete customers and their addresses'),
  ('carts:read', 'See carts'),
  ('carts:write', 'Create, fill, empty and check out carts'),
  ('orders:read', 'See orders, their lines and fulfilment'),
  ('orders:write', 'Create, change, fulfil and cancel orders'),
  ('payments:read', 'See payments and refunds'),
  ('payments:write', 'Take and refund payments'),
  ('promotions:read', 'See promotions and coupons'),
  ('merchant:read', 'See the merchant account, its plan and settings'),
  ('merchant:write', 'Change the merchant account, its settings and shipping'),
  ('api_keys:read', 'See the list of API keys (never their values)'),
  ('api_keys:write', 'Create and revoke API keys, and change the IP allow-list');
