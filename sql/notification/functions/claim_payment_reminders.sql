-- Whether the reservation's order is to be reminded of, as its payment window is about to end.
CREATE FUNCTION notification.payment_reminder_is_due(p_reservation inventory.reservation, p_order ordering.order)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    p_order.status = 'PENDING'
    AND p_order.reminded_of IS DISTINCT FROM p_reservation.expires_at
    -- Few of the orders that wait for payment are due: the payments of the others are not looked up.
    AND CASE
      WHEN now() >= p_reservation.expires_at - (
        p_reservation.expires_at - p_order.created_at
      ) / 4 THEN NOT ordering.payment_is_under_way(p_order.merchant_id, p_order.id)
      ELSE FALSE
    END;
$$;

-- answers: rows {merchant_id: uuid}
CREATE FUNCTION notification.merchants_with_payment_reminders(p_limit integer)
RETURNS TABLE (merchant_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT DISTINCT o.merchant_id
  FROM
    inventory.reservation r
    JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
  WHERE
    r.status = 'ACTIVE'
    AND r.expires_at > now()
    AND r.expires_at <= now() + INTERVAL '1 day'
    AND notification.payment_reminder_is_due(r, o)
  LIMIT p_limit;
$$;

-- answers: rows {subject_key: text, message: notification.message}
CREATE FUNCTION notification.claim_payment_reminders(p_merchant_id uuid, p_limit integer)
RETURNS TABLE (subject_key text, message jsonb)
LANGUAGE sql
VOLATILE
AS $$
  WITH
    due AS (
      SELECT o.id, r.expires_at
      FROM
        inventory.reservation r
        JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
      WHERE
        r.merchant_id = p_merchant_id
        AND r.status = 'ACTIVE'
        AND r.expires_at > now()
        AND r.expires_at <= now() + INTERVAL '1 day'
        AND notification.payment_reminder_is_due(r, o)
      ORDER BY r.expires_at
      LIMIT p_limit
      FOR UPDATE OF o SKIP LOCKED
    ),
    claimed AS (
      UPDATE ordering.order o
      SET reminded_of = d.expires_at
      FROM due d
      WHERE o.merchant_id = p_merchant_id AND o.id = d.id
      RETURNING o.id, d.expires_at
    )
  SELECT
    c.id || ' ' || EXTRACT(EPOCH FROM c.expires_at),
    jsonb_insert(
      notification.order_message(p_merchant_id, c.id),
      '{facts,payment}',
      jsonb_build_object(
        'dueAt',
        c.expires_at,
        'method',
        (SELECT p.method FROM payment.open_payment(p_merchant_id, c.id) p WHERE p.awaited)
      )
    )
  FROM claimed c;
$$;
