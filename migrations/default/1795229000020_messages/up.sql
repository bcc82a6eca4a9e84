-- What messages are made of, and how they are taken from the log to be sent.

-- The shop as its messages name it. Its address counts as verified when it is that of one of its users, who has shown it to be theirs
-- by a mailed token; a new address is unverified until then.
CREATE FUNCTION notification.shop_facts(p_merchant_id uuid) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_build_object(
    'name', m.name, 'email', m.email, 'website', m.website, 'timeZone', coalesce(s.timezone, 'UTC'),
    'emailIsVerified', EXISTS (
      SELECT FROM identity.user u
      WHERE u.merchant_id = m.id AND u.email = m.email AND u.email_verified AND u.status = 'ACTIVE'
    )
  )
  FROM merchant.merchant m LEFT JOIN merchant.settings s ON s.merchant_id = m.id
  WHERE m.id = p_merchant_id
$$;

-- Each of these answers {customerId, recipient, recipientName, facts}, or NULL when there is nothing to tell (any more).
-- Money is in minor units and times are in UTC: whoever renders them knows the currency and the time zone.
CREATE FUNCTION notification.order_message(p_merchant_id uuid, p_order_id uuid) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_build_object(
    'customerId', c.id, 'recipient', c.email, 'recipientName', c.name,
    'facts', jsonb_build_object(
      'customer', jsonb_build_object('name', c.name, 'email', c.email),
      'order', jsonb_build_object(
        'id', o.id, 'number', o.order_number, 'currency', o.currency, 'subtotal', o.subtotal, 'tax', o.tax,
        'shipping', o.shipping, 'discount', o.discount, 'total', o.total, 'placedAt', o.created_at,
        'paid', (
          SELECT coalesce(sum(p.captured_amount), 0) FROM payment.payment p
          WHERE p.merchant_id = o.merchant_id AND p.order_id = o.id
        )
      ),
      'items', (
        SELECT coalesce(jsonb_agg(
          jsonb_build_object(
            'name', i.product_name, 'sku', i.sku, 'quantity', i.quantity, 'price', i.price, 'subtotal', i.subtotal
          ) ORDER BY i.position, i.id
        ), '[]')
        FROM ordering.order_item i WHERE i.merchant_id = o.merchant_id AND i.order_id = o.id
      ),
      'shippingAddress', (
        SELECT jsonb_build_object(
          'line1', a.line1, 'line2', a.line2, 'city', a.city, 'state', a.state, 'postalCode', a.postal_code, 'country', a.country
        )
        FROM ordering.order_address a WHERE a.merchant_id = o.merchant_id AND a.id = o.shipping_address_id
      )
    )
  )
  FROM ordering.order o
  JOIN crm.customer c ON c.merchant_id = o.merchant_id AND c.id = o.customer_id
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
$$;

CREATE FUNCTION notification.shipping_message(p_merchant_id uuid, p_shipment_id uuid) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_insert(
    notification.order_message(s.merchant_id, s.order_id), '{facts,shipment}', jsonb_build_object(
      'carrier', s.carrier, 'trackingNumber', s.tracking_number, 'estimatedDeliveryAt', s.estimated_delivery_at
    )
  )
  FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id AND s.status IN ('SHIPPED', 'DELIVERED')
$$;

CREATE FUNCTION notification.refund_message(p_merchant_id uuid, p_refund_id uuid) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_insert(
    notification.order_message(p.merchant_id, p.order_id), '{facts,refund}', jsonb_build_object(
      'amount', r.amount, 'currency', p.currency, 'reason', r.reason
    )
  )
  FROM payment.refund r
  JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id AND r.status = 'SUCCEEDED'
$$;

-- Of an order that has been cancelled, and whether that is because nobody paid it.
CREATE FUNCTION notification.cancellation_message(p_merchant_id uuid, p_order_id uuid) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_insert(
    notification.order_message(o.merchant_id, o.id), '{facts,cancellation}', jsonb_build_object(
      'reason', o.cancel_reason, 'unpaid', o.lapsed
    )
  )
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.status = 'CANCELLED'
$$;

-- Unpaid orders whose window is about to end, each once for each end: a quarter of the window before, at most a day. Orders
-- that a payment is under way for are left to it. The caller writes the messages in this transaction.
CREATE FUNCTION notification.claim_payment_reminders(p_limit integer)
RETURNS TABLE (merchant_id uuid, subject_key text, message jsonb)
LANGUAGE sql VOLATILE
AS $$
  WITH due AS (
    SELECT o.merchant_id, o.id, r.expires_at
    FROM inventory.reservation r
    JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
    WHERE r.status = 'ACTIVE' AND r.expires_at > now() AND r.expires_at <= now() + interval '1 day'
      AND now() >= r.expires_at - (r.expires_at - o.created_at) / 4
      AND o.status = 'PENDING' AND o.reminded_of IS DISTINCT FROM r.expires_at
      AND NOT ordering.payment_is_under_way(o.merchant_id, o.id)
    ORDER BY r.expires_at
    LIMIT p_limit
    FOR UPDATE OF o SKIP LOCKED
  ),
  claimed AS (
    UPDATE ordering.order o SET reminded_of = d.expires_at
    FROM due d WHERE o.merchant_id = d.merchant_id AND o.id = d.id
    RETURNING o.merchant_id, o.id, d.expires_at
  )
  SELECT
    c.merchant_id,
    c.id || ' ' || extract(epoch FROM c.expires_at),
    jsonb_insert(
      notification.order_message(c.merchant_id, c.id), '{facts,payment}', jsonb_build_object(
        'dueAt', c.expires_at, 'method', (
          SELECT p.method FROM payment.open_payment(c.merchant_id, c.id) p WHERE p.awaited
        )
      )
    )
  FROM claimed c
$$;

-- Of an appointment that is still ahead, is at this time and stands so; nobody is told of what has changed since, or is over.
CREATE FUNCTION notification.appointment_message(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_start_time timestamptz,
  p_statuses text[]
) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_build_object(
    'customerId', c.id, 'recipient', c.email, 'recipientName', c.name,
    'facts', jsonb_build_object(
      'customer', jsonb_build_object('name', c.name, 'email', c.email),
      'appointment', jsonb_build_object(
        'id', a.id, 'service', s.name, 'staff', m.name, 'startTime', a.start_time, 'duration', a.duration,
        'timeZone', coalesce(m.time_zone, t.timezone, 'UTC')
      )
    )
  )
  FROM booking.appointment a
  JOIN booking.service s ON s.merchant_id = a.merchant_id AND s.id = a.service_id
  JOIN booking.staff_member m ON m.merchant_id = a.merchant_id AND m.id = a.staff_id
  JOIN crm.customer c ON c.merchant_id = a.merchant_id AND c.id = a.customer_id
  LEFT JOIN merchant.settings t ON t.merchant_id = a.merchant_id
  WHERE a.merchant_id = p_merchant_id AND a.id = p_appointment_id AND a.start_time = p_start_time
    AND a.status = ANY (p_statuses) AND a.start_time > now()
$$;

CREATE FUNCTION notification.low_stock_message(p_merchant_id uuid, p_crossing_id uuid) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT jsonb_build_object(
    'customerId', NULL, 'recipient', m.email, 'recipientName', m.name,
    'facts', jsonb_build_object(
      'product', jsonb_build_object('id', p.id, 'name', p.name, 'sku', i.sku),
      'stock', jsonb_build_object('available', c.available, 'threshold', c.threshold)
    )
  )
  FROM notification.stock_crossing c
  JOIN merchant.merchant m ON m.id = c.merchant_id
  JOIN inventory.stock_item i ON i.merchant_id = c.merchant_id AND i.id = c.stock_item_id
  JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
  WHERE c.merchant_id = p_merchant_id AND c.id = p_crossing_id AND i.sku IS NOT NULL
$$;

-- Claims alerts of an item that is available again, with what each of them is told. The messages are written in the same
-- transaction, so that an alert is either still open or told.
CREATE FUNCTION notification.claim_back_in_stock(p_merchant_id uuid, p_stock_item_id uuid, p_limit integer)
RETURNS TABLE (alert_id uuid, message jsonb)
LANGUAGE sql VOLATILE
AS $$
  SELECT a.id, jsonb_build_object(
    'customerId', a.customer_id, 'recipient', a.email, 'recipientName', c.name,
    'facts', jsonb_build_object('product', jsonb_build_object('id', p.id, 'name', p.name, 'sku', i.sku))
      || CASE WHEN c.id IS NULL THEN '{}' ELSE jsonb_build_object('customer', jsonb_build_object('name', c.name, 'email', c.email)) END
  )
  FROM inventory.claim_stock_alerts(p_merchant_id, p_stock_item_id, p_limit) a
  JOIN inventory.stock_item i ON i.merchant_id = a.merchant_id AND i.id = a.stock_item_id
  JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
  LEFT JOIN crm.customer c ON c.merchant_id = a.merchant_id AND c.id = a.customer_id
$$;

-- A token that is to be mailed writes its mail in the same transaction. The mail's facts are without the token: whoever sends it
-- reads it where it is sealed (email.claim), so that it stands in one place until then and in none afterwards.
CREATE FUNCTION email.write_token_mail() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO email.delivery (merchant_id, kind, subject_key, recipient, recipient_name, customer_id, facts)
  SELECT
    NEW.merchant_id, concat_ws('_', p.audience, NEW.purpose), NEW.id::text, NEW.email, p.name, NEW.customer_id,
    jsonb_build_object(lower(p.audience), jsonb_build_object('name', p.name, 'email', NEW.email), 'expiresAt', NEW.expires_at)
  FROM (
    SELECT 'USER' AS audience, u.name FROM identity.user u WHERE u.merchant_id = NEW.merchant_id AND u.id = NEW.user_id
    UNION ALL
    SELECT 'CUSTOMER', c.name FROM crm.customer c WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.customer_id
  ) p;
  RETURN NULL;
END
$$;
CREATE TRIGGER write_token_mail AFTER INSERT ON identity.one_time_token
  FOR EACH ROW EXECUTE FUNCTION email.write_token_mail();

-- Takes messages that are due, each for p_lease and for one sender. What somebody had and didn't settle in time (it was killed)
-- goes back first, or is given up when it has been tried often enough. Campaigns are looked at once more: whoever has
-- opted out since gets nothing, and neither does anybody when the campaign was cancelled. A mail with a token is sent as long
-- as the token is good; token: {hash, sealed, url}, NULL for others.
CREATE FUNCTION email.claim(p_limit integer, p_lease interval, p_max_attempts integer)
RETURNS TABLE (
  merchant_id uuid,
  id uuid,
  kind text,
  subject_key text,
  recipient text,
  recipient_name text,
  attempt integer,
  facts jsonb,
  unsubscribe_token uuid,
  shop jsonb,
  template jsonb,
  token jsonb
)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
BEGIN
  UPDATE email.delivery d SET
    status = CASE WHEN d.attempts < p_max_attempts THEN 'QUEUED' ELSE 'FAILED' END,
    reason = 'Whoever was sending it ended before it was settled',
    claimed_until = NULL
  WHERE (d.merchant_id, d.id) IN (
    SELECT x.merchant_id, x.id FROM email.delivery x
    WHERE x.status = 'SENDING' AND x.claimed_until < now() LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  RETURN QUERY
  WITH due AS MATERIALIZED (
    SELECT x.merchant_id, x.id FROM email.delivery x
    WHERE x.status = 'QUEUED' AND x.next_attempt_at <= now()
    ORDER BY (x.campaign_id IS NOT NULL), x.next_attempt_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  ),
  judged AS (
    SELECT d.merchant_id, d.id, k.token, CASE
      WHEN k.is_for_token AND k.token IS NULL THEN 'SUPPRESSED'
      WHEN d.campaign_id IS NULL THEN 'SENDING'
      WHEN g.status = 'CANCELLED' THEN 'CANCELLED'
      WHEN c.marketing_opt_in IS NOT TRUE OR c.blocked_at IS NOT NULL THEN 'SUPPRESSED'
      ELSE 'SENDING'
    END AS status
    FROM due u
    JOIN email.delivery d ON d.merchant_id = u.merchant_id AND d.id = u.id
    LEFT JOIN email.campaign g ON g.merchant_id = d.merchant_id AND g.id = d.campaign_id
    LEFT JOIN crm.customer c ON c.merchant_id = d.merchant_id AND c.id = d.customer_id
    CROSS JOIN LATERAL (
      SELECT x.is_for_token, (
        SELECT jsonb_build_object('hash', encode(t.hash, 'hex'), 'sealed', t.undelivered, 'url', (
          SELECT l.url FROM email.link l WHERE l.merchant_id = d.merchant_id AND l.kind = d.kind
        ))
        FROM identity.one_time_token t
        WHERE x.is_for_token AND t.merchant_id = d.merchant_id AND t.id = CASE WHEN x.is_for_token THEN d.subject_key::uuid END
          AND t.undelivered IS NOT NULL AND t.expires_at > now()
      ) AS token
      FROM (SELECT d.kind ~ '_(INVITATION|PASSWORD_RESET|EMAIL_VERIFICATION)$' AS is_for_token) x
    ) k
  ),
  taken AS (
    UPDATE email.delivery d SET
      status = j.status,
      reason = CASE j.status
        WHEN 'CANCELLED' THEN 'The campaign was cancelled'
        WHEN 'SUPPRESSED' THEN CASE
          WHEN d.campaign_id IS NULL THEN 'Its token has expired, was used, or a newer one has taken its place'
          WHEN EXISTS (
            SELECT FROM crm.customer c WHERE c.merchant_id = d.merchant_id AND c.id = d.customer_id AND c.blocked_at IS NOT NULL
          ) THEN 'The customer is blocked'
          ELSE 'The customer has not opted in to marketing'
        END
      END,
      attempts = d.attempts + CASE j.status WHEN 'SENDING' THEN 1 ELSE 0 END,
      claimed_until = CASE j.status WHEN 'SENDING' THEN now() + p_lease END
    FROM judged j
    WHERE d.merchant_id = j.merchant_id AND d.id = j.id
    RETURNING d.*, j.token
  )
  SELECT
    t.merchant_id, t.id, t.kind, t.subject_key, t.recipient::text, t.recipient_name, t.attempts, t.facts, t.unsubscribe_token,
    notification.shop_facts(t.merchant_id),
    coalesce(
      (
        SELECT jsonb_build_object('subject', g.subject, 'html', g.html, 'text', g.text)
        FROM email.campaign g WHERE g.merchant_id = t.merchant_id AND g.id = t.campaign_id
      ),
      (
        SELECT jsonb_build_object('subject', o.subject, 'html', o.html, 'text', o.text)
        FROM email.template o WHERE o.merchant_id = t.merchant_id AND o.kind = t.kind
      )
    ),
    t.token
  FROM taken t WHERE t.status = 'SENDING'
  ORDER BY t.next_attempt_at;
END
$$;

-- The same for messages to devices.
CREATE FUNCTION notification.claim_pushes(p_limit integer, p_lease interval, p_max_attempts integer)
RETURNS TABLE (
  merchant_id uuid,
  id uuid,
  attempt integer,
  platform text,
  token text,
  kind text,
  title text,
  body text,
  data jsonb
)
LANGUAGE plpgsql
AS $$
#variable_conflict use_column
BEGIN
  UPDATE notification.push_delivery d SET
    status = CASE WHEN d.attempts < p_max_attempts THEN 'QUEUED' ELSE 'FAILED' END,
    reason = 'Whoever was sending it ended before it was settled',
    claimed_until = NULL
  WHERE (d.merchant_id, d.id) IN (
    SELECT x.merchant_id, x.id FROM notification.push_delivery x
    WHERE x.status = 'SENDING' AND x.claimed_until < now() LIMIT p_limit FOR UPDATE SKIP LOCKED
  );
  RETURN QUERY
  WITH due AS MATERIALIZED (
    SELECT x.merchant_id, x.id FROM notification.push_delivery x
    WHERE x.status = 'QUEUED' AND x.next_attempt_at <= now()
    ORDER BY x.next_attempt_at LIMIT p_limit FOR UPDATE SKIP LOCKED
  )
  UPDATE notification.push_delivery d
  SET status = 'SENDING', attempts = d.attempts + 1, claimed_until = now() + p_lease
  FROM due u, notification.device v
  WHERE d.merchant_id = u.merchant_id AND d.id = u.id AND v.merchant_id = d.merchant_id AND v.id = d.device_id
  RETURNING d.merchant_id, d.id, d.attempts, v.platform, v.token, d.kind, d.title, d.body, d.data;
END
$$;

-- Who is forgotten is forgotten here, too: the log says that something was sent and when, but not to whom or what. What is
-- still to be sent, or could be sent again, isn't any more. Messages are addressed to who they were written for, so those to an
-- address that the customer had before are found by the customer.
CREATE FUNCTION notification.forget_customer() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE email.delivery d SET
    recipient = NEW.email, recipient_name = NULL, facts = '{}', subject = NULL, html = NULL, text = NULL, message_id = NULL,
    status = CASE WHEN d.status IN ('QUEUED', 'SENDING', 'FAILED', 'BOUNCED') THEN 'CANCELLED' ELSE d.status END,
    reason = CASE WHEN d.status = 'SENT' THEN NULL ELSE 'The customer was forgotten' END,
    claimed_until = NULL
  WHERE d.merchant_id = NEW.merchant_id AND (d.customer_id = NEW.id OR d.recipient = OLD.email);
  DELETE FROM notification.notification n WHERE n.merchant_id = NEW.merchant_id AND n.customer_id = NEW.id;
  DELETE FROM notification.device d WHERE d.merchant_id = NEW.merchant_id AND d.customer_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER forget_messages AFTER UPDATE OF anonymized_at ON crm.customer
  FOR EACH ROW WHEN (OLD.anonymized_at IS NULL AND NEW.anonymized_at IS NOT NULL)
  EXECUTE FUNCTION notification.forget_customer();
