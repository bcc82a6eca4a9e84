INSERT INTO merchant.permission (name, description) VALUES
  ('notifications:read', 'See notifications, devices and preferences'),
  ('notifications:write', 'Mark notifications as read, register devices and change preferences');

INSERT INTO notification.kind_channel (kind, channel, audience, required)
SELECT k.kind, c.channel, k.audience, k.receipt AND c.channel = 'EMAIL'
FROM (VALUES
  ('ORDER_CONFIRMATION', 'CUSTOMER', true),
  ('ORDER_SHIPPED', 'CUSTOMER', false),
  ('ORDER_REFUNDED', 'CUSTOMER', true),
  ('ORDER_PAYMENT_REMINDER', 'CUSTOMER', false),
  ('ORDER_CANCELLED', 'CUSTOMER', true),
  ('STOCK_ALERT', 'CUSTOMER', false),
  ('APPOINTMENT_BOOKED', 'CUSTOMER', false),
  ('APPOINTMENT_MOVED', 'CUSTOMER', false),
  ('APPOINTMENT_CANCELLED', 'CUSTOMER', false),
  ('APPOINTMENT_REMINDER', 'CUSTOMER', false),
  ('LOW_STOCK_ALERT', 'MERCHANT', false)
) AS k (kind, audience, receipt)
CROSS JOIN unnest(ARRAY['EMAIL', 'PUSH', 'IN_APP']) AS c (channel);
