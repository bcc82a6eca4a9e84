-- answers: rows {merchant_id: uuid, subject_key: text, message: notification.message}
CREATE FUNCTION notification.claim_payment_reminders(p_limit integer)
RETURNS TABLE (merchant_id uuid, subject_key text, message jsonb)
LANGUAGE sql
VOLATILE
AS $$
  WITH
    due AS (
      SELECT o.merchant_id, o.id, r.expires_at
      FROM
        inventory.reservation r
        JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
      WHERE
        r.status = 'ACTIVE'
        AND r.expires_at > now()
        AND r.expires_at <= now() + INTERVAL '1 day'
        AND now() >= r.expires_at - (r.expires_at - o.created_at) / 4
        AND o.status = 'PENDING'
        AND o.reminded_of IS DISTINCT FROM r.expires_at
        AND NOT ordering.payment_is_under_way(o.merchant_id, o.id)
      ORDER BY r.expires_at
      LIMIT p_limit
      FOR UPDATE OF o SKIP LOCKED
    ),
    claimed AS (
      UPDATE ordering.order o
      SET reminded_of = d.expires_at
      FROM due d
      WHERE o.merchant_id = d.merchant_id AND o.id = d.id
      RETURNING o.merchant_id, o.id, d.expires_at
    )
  SELECT
    c.merchant_id,
    c.id || ' ' || EXTRACT(EPOCH FROM c.expires_at),
    jsonb_insert(
      notification.order_message(c.merchant_id, c.id),
      '{facts,payment}',
      jsonb_build_object(
        'dueAt',
        c.expires_at,
        'method',
        (SELECT p.method FROM payment.open_payment(c.merchant_id, c.id) p WHERE p.awaited)
      )
    )
  FROM claimed c;
$$;
