-- All that is stored about a person, a row for each record, without secrets: what `exportCustomerData` writes. A table
-- that refers to customers is here, or in the exceptions of actions/src/bulk/exports/personal-tables.ts with a reason.
--
-- by_email: the record belongs to the address, and not to the customer's record. Whoever typed an address that was not
-- verified may not see it.
CREATE VIEW bulk.customer_record AS
  SELECT x.merchant_id, x.id AS customer_id, 'customer' AS type, FALSE AS by_email, to_jsonb(x) AS record
  FROM crm.customer x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'address', FALSE, to_jsonb(x) FROM crm.address x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'contact', FALSE, to_jsonb(x) FROM crm.contact x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'interaction', FALSE, to_jsonb(x) FROM crm.interaction x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'loyaltyAccount', FALSE, to_jsonb(x) FROM crm.loyalty_account x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'loyaltyEntry', FALSE, to_jsonb(x) FROM crm.loyalty_entry x
  UNION ALL
  SELECT m.merchant_id, m.customer_id, 'segment', FALSE, jsonb_build_object('id', s.id, 'name', s.name)
  FROM
    crm.segment_member m
    JOIN crm.segment s ON s.merchant_id = m.merchant_id AND s.id = m.segment_id
  UNION ALL
  SELECT
    p.merchant_id,
    c.id,
    'promotion',
    FALSE,
    jsonb_build_object('id', p.id, 'name', p.name, 'code', p.code, 'start_date', p.start_date, 'end_date', p.end_date)
  FROM
    promotion.promotion p
    JOIN crm.customer c ON c.merchant_id = p.merchant_id AND c.id = ANY (p.customer_ids)
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'review', FALSE, to_jsonb(x) FROM catalog.review x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'cart', FALSE, to_jsonb(x) - 'secret_hash'
  FROM cart.cart x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.customer_id, 'cartLine', FALSE, to_jsonb(x)
  FROM
    cart.cart_item x
    JOIN cart.cart c ON c.merchant_id = x.merchant_id AND c.id = x.cart_id
  WHERE c.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.customer_id, 'cartAddress', FALSE, to_jsonb(x)
  FROM
    cart.cart_address x
    JOIN cart.cart c ON c.merchant_id = x.merchant_id AND c.id = x.cart_id
  WHERE c.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'draftOrder', FALSE, to_jsonb(x)
  FROM ordering.draft_order x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'draftOrderLine', FALSE, to_jsonb(x)
  FROM
    ordering.draft_order_item x
    JOIN ordering.draft_order o ON o.merchant_id = x.merchant_id AND o.id = x.draft_order_id
  WHERE o.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'order', FALSE, to_jsonb(x) FROM ordering.order x
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'orderLine', FALSE, to_jsonb(x)
  FROM
    ordering.order_item x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'orderAddress', FALSE, to_jsonb(x)
  FROM
    ordering.order_address x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'orderHistoryEntry', FALSE, to_jsonb(x)
  FROM
    ordering.history_entry x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'fulfillment', FALSE, to_jsonb(x)
  FROM
    ordering.fulfillment x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'shipment', FALSE, to_jsonb(x)
  FROM
    ordering.shipment x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'shipmentLine', FALSE, to_jsonb(x)
  FROM
    ordering.shipment_line x
    JOIN ordering.shipment s ON s.merchant_id = x.merchant_id AND s.id = x.shipment_id
    JOIN ordering.order o ON o.merchant_id = s.merchant_id AND o.id = s.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'return', FALSE, to_jsonb(x)
  FROM
    ordering.order_return x
    JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'returnLine', FALSE, to_jsonb(x)
  FROM
    ordering.return_line x
    JOIN ordering.order_return r ON r.merchant_id = x.merchant_id AND r.id = x.return_id
    JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'appointment', FALSE, to_jsonb(x) FROM booking.appointment x
  UNION ALL
  SELECT x.merchant_id, a.customer_id, 'appointmentReminder', FALSE, to_jsonb(x)
  FROM
    booking.reminder x
    JOIN booking.appointment a ON a.merchant_id = x.merchant_id AND a.id = x.appointment_id
  UNION ALL
  SELECT
    x.merchant_id,
    coalesce(o.customer_id, a.customer_id),
    'payment',
    FALSE,
    to_jsonb(x) - ARRAY['processor_payment_intent_id', 'processor_payment_method_id', 'return_url', 'account_id']
  FROM
    payment.payment x
    LEFT JOIN ordering.order o ON o.merchant_id = x.merchant_id AND o.id = x.order_id
    LEFT JOIN booking.appointment a ON a.merchant_id = x.merchant_id AND a.id = x.appointment_id
  UNION ALL
  SELECT
    x.merchant_id,
    coalesce(o.customer_id, a.customer_id),
    'refund',
    FALSE,
    to_jsonb(x) - 'processor_refund_id'
  FROM
    payment.refund x
    JOIN payment.payment p ON p.merchant_id = x.merchant_id AND p.id = x.payment_id
    LEFT JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
    LEFT JOIN booking.appointment a ON a.merchant_id = p.merchant_id AND a.id = p.appointment_id
  UNION ALL
  SELECT x.merchant_id, o.customer_id, 'refundLine', FALSE, to_jsonb(x)
  FROM
    payment.refund_line x
    JOIN ordering.order_item i ON i.merchant_id = x.merchant_id AND i.id = x.order_item_id
    JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id
  UNION ALL
  SELECT
    x.merchant_id,
    coalesce(o.customer_id, a.customer_id),
    'dispute',
    FALSE,
    to_jsonb(x) - 'processor_dispute_id'
  FROM
    payment.dispute x
    JOIN payment.payment p ON p.merchant_id = x.merchant_id AND p.id = x.payment_id
    LEFT JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
    LEFT JOIN booking.appointment a ON a.merchant_id = p.merchant_id AND a.id = p.appointment_id
  UNION ALL
  SELECT
    x.merchant_id,
    x.customer_id,
    'savedPaymentMethod',
    FALSE,
    jsonb_build_object(
      'id',
      x.id,
      'status',
      x.status,
      'method',
      x.method,
      'last4',
      x.last4,
      'brand',
      x.brand,
      'expiry_month',
      x.expiry_month,
      'expiry_year',
      x.expiry_year,
      'is_default',
      x.is_default,
      'created_at',
      x.created_at
    )
  FROM payment.saved_method x
  UNION ALL
  SELECT
    x.merchant_id,
    x.customer_id,
    'recordAtPaymentProcessor',
    FALSE,
    jsonb_build_object('processor', x.processor, 'created_at', x.created_at)
  FROM payment.processor_customer x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'password', FALSE, jsonb_build_object('id', x.id, 'changed_at', x.changed_at)
  FROM identity.credential x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'session', FALSE, to_jsonb(x)
  FROM identity.session x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'knownClient', FALSE, to_jsonb(x)
  FROM identity.known_client x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'mailedToken', FALSE, to_jsonb(x) - ARRAY['hash', 'undelivered']
  FROM identity.one_time_token x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.id, 'signInAttempt', TRUE, to_jsonb(x)
  FROM
    crm.customer c
    JOIN identity.sign_in_attempt x ON x.merchant_id = c.merchant_id AND x.email = c.email AND x.subject = 'CUSTOMER'
  UNION ALL
  SELECT x.merchant_id, c.id, 'passwordResetRequest', TRUE, to_jsonb(x)
  FROM
    crm.customer c
    JOIN identity.password_reset_request x
      ON x.merchant_id = c.merchant_id AND x.email = c.email AND x.subject = 'CUSTOMER'
  UNION ALL
  SELECT
    x.merchant_id,
    x.customer_id,
    'email',
    FALSE,
    to_jsonb(x) - ARRAY['html', 'text', 'message_id', 'transport', 'claimed_until']
  FROM email.delivery x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT
    x.merchant_id,
    c.id,
    'email',
    TRUE,
    to_jsonb(x) - ARRAY['html', 'text', 'message_id', 'transport', 'claimed_until']
  FROM
    crm.customer c
    JOIN email.delivery x ON x.merchant_id = c.merchant_id AND x.recipient = c.email
  WHERE x.customer_id IS DISTINCT FROM c.id
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'notification', FALSE, to_jsonb(x)
  FROM notification.notification x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'notificationPreference', FALSE, to_jsonb(x)
  FROM notification.preference x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'device', FALSE, to_jsonb(x) - 'token' FROM notification.device x
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'push', FALSE, to_jsonb(x) - ARRAY['message_id', 'transport', 'claimed_until']
  FROM notification.push_delivery x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, x.customer_id, 'stockAlert', FALSE, to_jsonb(x)
  FROM inventory.stock_alert x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.id, 'stockAlert', TRUE, to_jsonb(x)
  FROM
    crm.customer c
    JOIN inventory.stock_alert x ON x.merchant_id = c.merchant_id AND x.email = c.email
  WHERE x.customer_id IS DISTINCT FROM c.id
  UNION ALL
  SELECT
    x.merchant_id,
    x.customer_id,
    'export',
    FALSE,
    jsonb_build_object('id', x.id, 'kind', x.kind, 'status', x.status, 'created_at', x.created_at)
  FROM bulk.export x
  WHERE x.customer_id IS NOT NULL
  UNION ALL
  SELECT x.merchant_id, c.id, 'auditEntry', FALSE, to_jsonb(x) - ARRAY['attempt_id']
  FROM
    crm.customer c
    JOIN audit.entry x
      ON x.merchant_id = c.merchant_id
      AND (x.target_ids @> ARRAY[c.id] OR (x.actor_kind = 'CUSTOMER' AND x.actor_id = c.id));
