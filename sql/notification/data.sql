INSERT INTO merchant.permission (name, description)
VALUES
  ('notifications:read', 'See notifications, devices and preferences'),
  ('notifications:write', 'Mark notifications as read, register devices and change preferences');

INSERT INTO notification.kind_channel (kind, channel, audience, required)
SELECT k.kind, c.channel, k.audience, k.receipt AND c.channel = 'EMAIL'
FROM
  (
    VALUES
      ('ORDER_CONFIRMATION', 'CUSTOMER', TRUE),
      ('ORDER_SHIPPED', 'CUSTOMER', FALSE),
      ('ORDER_REFUNDED', 'CUSTOMER', TRUE),
      ('ORDER_PAYMENT_REMINDER', 'CUSTOMER', FALSE),
      ('ORDER_CANCELLED', 'CUSTOMER', TRUE),
      ('STOCK_ALERT', 'CUSTOMER', FALSE),
      ('APPOINTMENT_BOOKED', 'CUSTOMER', FALSE),
      ('APPOINTMENT_MOVED', 'CUSTOMER', FALSE),
      ('APPOINTMENT_CANCELLED', 'CUSTOMER', FALSE),
      ('APPOINTMENT_REMINDER', 'CUSTOMER', FALSE),
      ('STAFF_APPOINTMENT_BOOKED', 'MERCHANT', FALSE),
      ('STAFF_APPOINTMENT_MOVED', 'MERCHANT', FALSE),
      ('STAFF_APPOINTMENT_CANCELLED', 'MERCHANT', FALSE),
      ('LOW_STOCK_ALERT', 'MERCHANT', FALSE),
      ('PAYMENT_DISPUTED', 'MERCHANT', FALSE),
      ('SENDER_LOST', 'MERCHANT', FALSE),
      ('WEBHOOK_DISABLED', 'MERCHANT', FALSE)
  ) AS k (kind, audience, receipt)
  CROSS JOIN unnest(ARRAY['EMAIL', 'PUSH', 'IN_APP']) AS c (channel);
