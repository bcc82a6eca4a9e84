-- Alder & Pine's messages to customers. None of them is queued, so none is sent.

INSERT INTO email.template (merchant_id, id, kind, subject, html, text) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0040-7000-8000-000000000001', 'ORDER_SHIPPED',
   'Order {{order.number}} is on the trail',
   '<p>Hello {{customer.name}},</p><p>your order {{order.number}} has left us{{#shipment.carrier}} with {{shipment.carrier}}{{/shipment.carrier}}{{#shipment.trackingNumber}}, tracking number {{shipment.trackingNumber}}{{/shipment.trackingNumber}}. See you outside!</p>',
   E'Hello {{customer.name}},\n\nyour order {{order.number}} has left us{{#shipment.carrier}} with {{shipment.carrier}}{{/shipment.carrier}}{{#shipment.trackingNumber}}, tracking number {{shipment.trackingNumber}}{{/shipment.trackingNumber}}. See you outside!')
ON CONFLICT DO NOTHING;

INSERT INTO email.campaign (merchant_id, id, name, subject, html, text) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0041-7000-8000-000000000001', 'First snow',
   'Is your headlamp charged?',
   '<p>The days get short. All headlamps are ready for you.</p>',
   'The days get short. All headlamps are ready for you.')
ON CONFLICT DO NOTHING;

INSERT INTO email.delivery
  (merchant_id, id, kind, subject_key, recipient, recipient_name, customer_id, status, reason, attempts, facts, subject, html, text, transport, sent_at)
SELECT
  c.merchant_id, ('01a1f000-0042-7000-8000-' || lpad(d.number::text, 12, '0'))::uuid, 'ORDER_CONFIRMATION', d.subject_key, c.email, c.name, c.id,
  d.status, d.reason, d.attempts, '{}', 'Thank you for your order', '<p>Thank you for your order.</p>', 'Thank you for your order.', 'smtp', d.sent_at
FROM (VALUES
  (1, 1, 'seed-1', 'SENT', NULL, 1, now() - interval '3 days'),
  (2, 2, 'seed-2', 'FAILED', '451 the mailbox is full', 5, NULL)
) AS d (number, customer, subject_key, status, reason, attempts, sent_at)
JOIN crm.customer c
  ON c.merchant_id = '01a1f000-0001-7000-8000-000000000001'
  AND c.id = ('01a1f000-0009-7000-8000-' || lpad(d.customer::text, 12, '0'))::uuid
ON CONFLICT DO NOTHING;

INSERT INTO notification.notification (merchant_id, id, customer_id, kind, subject_key, title, body) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0043-7000-8000-000000000001', NULL, 'LOW_STOCK_ALERT', 'seed-1',
   'Ridgeline Tarp is running low', 'There are few left in Asheville.')
ON CONFLICT DO NOTHING;

INSERT INTO notification.device (merchant_id, id, customer_id, platform, token, name) VALUES
  ('01a1f000-0001-7000-8000-000000000001', '01a1f000-0044-7000-8000-000000000001', '01a1f000-0009-7000-8000-000000000001',
   'IOS', 'seed-token-of-no-phone', 'An old phone')
ON CONFLICT DO NOTHING;
