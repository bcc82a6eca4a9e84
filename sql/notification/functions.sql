-- answers:
--   changed {required: boolean}
--   | invalid {field: 'customerId' | 'kind' | 'enabled', reason: 'unknown_customer' | 'not_of_audience' | 'required'}
-- nullable: p_customer_id
CREATE FUNCTION notification.set_preference(
  p_merchant_id uuid,
  p_customer_id uuid,
  p_kind text,
  p_channel text,
  p_enabled boolean
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_kind notification.kind_channel;
BEGIN
  IF
    p_customer_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM crm.customer c WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id)
  THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'field', 'customerId', 'reason', 'unknown_customer');
  END IF;
  SELECT * INTO v_kind FROM notification.kind_channel k WHERE k.kind = p_kind AND k.channel = p_channel;
  IF (v_kind.audience = 'MERCHANT') <> (p_customer_id IS NULL) THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'field', 'kind', 'reason', 'not_of_audience');
  END IF;
  IF v_kind.required AND NOT p_enabled THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'field', 'enabled', 'reason', 'required');
  END IF;
  INSERT INTO notification.preference (merchant_id, customer_id, kind, channel, enabled)
  VALUES (p_merchant_id, p_customer_id, p_kind, p_channel, p_enabled)
  ON CONFLICT ON CONSTRAINT preference_key DO UPDATE SET enabled = excluded.enabled;
  RETURN jsonb_build_object('outcome', 'changed', 'required', v_kind.required);
END;
$$;

CREATE FUNCTION notification.wants(p_merchant_id uuid, p_customer_id uuid, p_kind text, p_channel text)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    NOT EXISTS (
      SELECT
      FROM notification.preference p
      WHERE
        p.merchant_id = p_merchant_id
        AND p.customer_id IS NOT DISTINCT FROM p_customer_id
        AND p.kind = p_kind
        AND p.channel = p_channel
        AND NOT p.enabled
    );
$$;

-- answers: {name: text, email: text, website: text | null, timeZone: text, emailIsVerified: boolean}
CREATE FUNCTION notification.shop_facts(p_merchant_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'name',
      m.name,
      'email',
      m.email,
      'website',
      m.website,
      'timeZone',
      coalesce(s.timezone, 'UTC'),
      'emailIsVerified',
      EXISTS (
        SELECT
        FROM identity.user u
        WHERE u.merchant_id = m.id AND u.email = m.email AND u.email_verified AND u.status = 'ACTIVE'
      )
    )
  FROM
    merchant.merchant m
    LEFT JOIN merchant.settings s ON s.merchant_id = m.id
  WHERE m.id = p_merchant_id;
$$;

-- answers: notification.message | null
CREATE FUNCTION notification.shipping_message(p_merchant_id uuid, p_shipment_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_insert(
      notification.order_message(s.merchant_id, s.order_id),
      '{facts,shipment}',
      jsonb_build_object(
        'carrier',
        s.carrier,
        'trackingNumber',
        s.tracking_number,
        'estimatedDeliveryAt',
        s.estimated_delivery_at
      )
    )
  FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id AND s.status IN ('SHIPPED', 'DELIVERED');
$$;

-- answers: notification.message | null
CREATE FUNCTION notification.refund_message(p_merchant_id uuid, p_refund_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_insert(
      notification.order_message(p.merchant_id, p.order_id),
      '{facts,refund}',
      jsonb_build_object('amount', r.amount, 'currency', p.currency, 'reason', r.reason)
    )
  FROM
    payment.refund r
    JOIN payment.payment p ON p.merchant_id = r.merchant_id AND p.id = r.payment_id
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id AND r.status = 'SUCCEEDED';
$$;

-- answers: notification.message | null
CREATE FUNCTION notification.cancellation_message(p_merchant_id uuid, p_order_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_insert(
      notification.order_message(o.merchant_id, o.id),
      '{facts,cancellation}',
      jsonb_build_object('reason', o.cancel_reason, 'unpaid', o.lapsed)
    )
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.status = 'CANCELLED';
$$;

-- answers: notification.message | null
CREATE FUNCTION notification.appointment_message(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_start_time timestamptz,
  p_statuses text[]
)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'customerId',
      c.id,
      'recipient',
      c.email,
      'recipientName',
      c.name,
      'facts',
      jsonb_build_object(
        'customer',
        jsonb_build_object('name', c.name, 'email', c.email),
        'appointment',
        jsonb_build_object(
          'id',
          a.id,
          'service',
          s.name,
          'staff',
          m.name,
          'startTime',
          a.start_time,
          'duration',
          a.duration,
          'timeZone',
          coalesce(m.time_zone, t.timezone, 'UTC')
        )
      )
    )
  FROM
    booking.appointment a
    JOIN booking.service s ON s.merchant_id = a.merchant_id AND s.id = a.service_id
    JOIN booking.staff_member m ON m.merchant_id = a.merchant_id AND m.id = a.staff_id
    JOIN crm.customer c ON c.merchant_id = a.merchant_id AND c.id = a.customer_id
    LEFT JOIN merchant.settings t ON t.merchant_id = a.merchant_id
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = p_appointment_id
    AND a.start_time = p_start_time
    AND a.status = ANY (p_statuses)
    AND a.start_time > now();
$$;

-- answers: notification.message | null
CREATE FUNCTION notification.low_stock_message(p_merchant_id uuid, p_crossing_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'customerId',
      NULL,
      'recipient',
      m.email,
      'recipientName',
      m.name,
      'facts',
      jsonb_build_object(
        'product',
        jsonb_build_object('id', p.id, 'name', p.name, 'sku', i.sku),
        'stock',
        jsonb_build_object('available', c.available, 'threshold', c.threshold)
      )
    )
  FROM
    notification.stock_crossing c
    JOIN merchant.merchant m ON m.id = c.merchant_id
    JOIN inventory.stock_item i ON i.merchant_id = c.merchant_id AND i.id = c.stock_item_id
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
  WHERE c.merchant_id = p_merchant_id AND c.id = p_crossing_id AND i.sku IS NOT NULL;
$$;

-- answers: rows {alert_id: uuid, message: notification.message}
CREATE FUNCTION notification.claim_back_in_stock(p_merchant_id uuid, p_stock_item_id uuid, p_limit integer)
RETURNS TABLE (alert_id uuid, message jsonb)
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    a.id,
    jsonb_build_object(
      'customerId',
      a.customer_id,
      'recipient',
      a.email,
      'recipientName',
      c.name,
      'facts',
      jsonb_build_object('product', jsonb_build_object('id', p.id, 'name', p.name, 'sku', i.sku)) || CASE
        WHEN c.id IS NULL THEN '{}'
        ELSE jsonb_build_object('customer', jsonb_build_object('name', c.name, 'email', c.email))
      END
    )
  FROM
    inventory.claim_stock_alerts(p_merchant_id, p_stock_item_id, p_limit) a
    JOIN inventory.stock_item i ON i.merchant_id = a.merchant_id AND i.id = a.stock_item_id
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
    LEFT JOIN crm.customer c ON c.merchant_id = a.merchant_id AND c.id = a.customer_id;
$$;
