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

-- answers:
--   {
--   name: text, email: text, website: text | null, timeZone: text, emailIsVerified: boolean,
--   sender: text | null
--   }
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
      ),
      'sender',
      (SELECT e.address FROM merchant.sender e WHERE e.merchant_id = m.id AND e.status = 'CONFIRMED')
    )
  FROM
    merchant.merchant m
    LEFT JOIN merchant.settings s ON s.merchant_id = m.id
  WHERE m.id = p_merchant_id;
$$;

-- Nothing thanks for an order that is over: the event may have come late.
-- answers: notification.message | null
CREATE FUNCTION notification.confirmation_message(p_merchant_id uuid, p_order_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT notification.order_message(o.merchant_id, o.id)
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.status NOT IN ('CANCELLED', 'REFUNDED');
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

CREATE FUNCTION notification.appointment_facts(
  p_appointment booking.appointment,
  p_staff_id uuid,
  p_start_time timestamptz
)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    jsonb_build_object(
      'id',
      p_appointment.id,
      'service',
      s.name,
      'staff',
      m.name,
      'startTime',
      p_start_time,
      'duration',
      p_appointment.duration,
      'currency',
      p_appointment.currency,
      'paid',
      p_appointment.paid_amount,
      'due',
      p_appointment.amount_due,
      'fee',
      p_appointment.fee,
      'unpaid',
      p_appointment.lapsed,
      'timeZone',
      coalesce(m.time_zone, t.timezone, 'UTC'),
      'resources',
      (
        SELECT coalesce(jsonb_agg(r.name ORDER BY r.kind, r.name, r.id), '[]')
        FROM
          booking.appointment_resource a
          JOIN booking.resource r ON r.merchant_id = a.merchant_id AND r.id = a.resource_id
        WHERE a.merchant_id = p_appointment.merchant_id AND a.appointment_id = p_appointment.id
      )
    )
  FROM
    booking.service s
    JOIN booking.staff_member m ON m.merchant_id = s.merchant_id AND m.id = p_staff_id
    LEFT JOIN merchant.settings t ON t.merchant_id = s.merchant_id
  WHERE s.merchant_id = p_appointment.merchant_id AND s.id = p_appointment.service_id;
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
        notification.appointment_facts(a, a.staff_id, a.start_time)
      )
    )
  FROM
    booking.appointment a
    JOIN crm.customer c ON c.merchant_id = a.merchant_id AND c.id = a.customer_id
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = p_appointment_id
    AND a.start_time = p_start_time
    AND a.status = ANY (p_statuses)
    AND a.start_time > now();
$$;

-- answers: notification.message | null
CREATE FUNCTION notification.staff_appointment_message(
  p_merchant_id uuid,
  p_appointment_id uuid,
  p_staff_id uuid,
  p_start_time timestamptz,
  p_in_calendar boolean
)
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
        'customer',
        jsonb_build_object('name', c.name, 'email', c.email),
        'appointment',
        notification.appointment_facts(a, m.id, p_start_time) || jsonb_build_object('customerId', c.id)
      )
    )
  FROM
    booking.appointment a
    JOIN crm.customer c ON c.merchant_id = a.merchant_id AND c.id = a.customer_id
    JOIN booking.staff_member m ON m.merchant_id = a.merchant_id AND m.id = p_staff_id
  WHERE
    a.merchant_id = p_merchant_id
    AND a.id = p_appointment_id
    AND p_start_time > now()
    -- A later event covers later changes.
    AND CASE
      WHEN p_in_calendar THEN a.staff_id = m.id
      AND a.start_time = p_start_time
      AND a.takes_time
      ELSE a.staff_id <> m.id
      OR NOT a.takes_time
    END;
$$;

-- A message to the merchant's own address.
CREATE FUNCTION notification.merchant_message(p_merchant_id uuid, p_facts jsonb)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT jsonb_build_object('customerId', NULL, 'recipient', m.email, 'recipientName', m.name, 'facts', p_facts)
  FROM merchant.merchant m
  WHERE m.id = p_merchant_id;
$$;

-- answers: notification.message | null
CREATE FUNCTION notification.low_stock_message(p_merchant_id uuid, p_crossing_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    notification.merchant_message(
      c.merchant_id,
      jsonb_build_object(
        'product',
        jsonb_build_object('id', p.id, 'name', p.name, 'sku', i.sku),
        'stock',
        jsonb_build_object('available', c.available, 'threshold', c.threshold)
      )
    )
  FROM
    notification.stock_crossing c
    JOIN inventory.stock_item i ON i.merchant_id = c.merchant_id AND i.id = c.stock_item_id
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
  WHERE c.merchant_id = p_merchant_id AND c.id = p_crossing_id AND i.sku IS NOT NULL;
$$;

-- answers: notification.message | null
CREATE FUNCTION notification.dispute_message(p_merchant_id uuid, p_dispute_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    notification.merchant_message(
      d.merchant_id,
      jsonb_build_object(
        'dispute',
        jsonb_build_object(
          'paymentId',
          d.payment_id,
          'orderNumber',
          o.order_number,
          'amount',
          d.amount,
          'currency',
          d.currency,
          'reason',
          d.reason,
          'evidenceDueAt',
          d.evidence_due_at
        )
      )
    )
  FROM
    payment.dispute d
    JOIN payment.payment p ON p.merchant_id = d.merchant_id AND p.id = d.payment_id
    LEFT JOIN ordering.order o ON o.merchant_id = p.merchant_id AND o.id = p.order_id
  WHERE d.merchant_id = p_merchant_id AND d.id = p_dispute_id;
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
