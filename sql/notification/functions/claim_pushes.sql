-- answers:
--   rows {
--   merchant_id: uuid, id: uuid, attempt: integer, platform: notification.device.platform, token: text, kind: text,
--   title: text, body: text, data: texts, trace_context: text | null
--   }
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
  data jsonb,
  trace_context text
)
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE notification.push_delivery d
  SET
    status = CASE
      WHEN d.attempts < p_max_attempts THEN 'QUEUED'
      ELSE 'FAILED'
    END,
    reason = 'The sender ended before it recorded an outcome',
    claimed_until = NULL
  WHERE
    (d.merchant_id, d.id) IN (
      SELECT x.merchant_id, x.id
      FROM notification.push_delivery x
      WHERE x.status = 'SENDING' AND x.claimed_until < now()
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    );
  -- A device is another person's once that person has signed in on it. What was to be said to the one before is none of
  -- theirs.
  UPDATE notification.push_delivery d
  SET
    status = 'SUPPRESSED',
    reason = 'Another person has signed in on the device'
  WHERE
    (d.merchant_id, d.id) IN (
      SELECT x.merchant_id, x.id
      FROM
        notification.push_delivery x
        JOIN notification.device v ON v.merchant_id = x.merchant_id AND v.id = x.device_id
      WHERE x.status = 'QUEUED' AND x.next_attempt_at <= now() AND v.customer_id IS DISTINCT FROM x.customer_id
      LIMIT p_limit
      FOR UPDATE OF x SKIP LOCKED
    );
  -- The statement below is planned for its values each time, which takes longer than to see that there is nothing to
  -- send.
  IF
    NOT EXISTS (
      SELECT
      FROM notification.push_delivery x
      WHERE x.status = 'QUEUED' AND x.next_attempt_at <= now()
    )
  THEN
    RETURN;
  END IF;
  RETURN QUERY WITH
      due AS MATERIALIZED (
        SELECT x.merchant_id, x.id
        FROM notification.push_delivery x
        WHERE x.status = 'QUEUED' AND x.next_attempt_at <= now() AND merchant.is_active(x.merchant_id)
        ORDER BY x.next_attempt_at
        LIMIT p_limit
        FOR UPDATE SKIP LOCKED
      ),
      taken AS (
        UPDATE notification.push_delivery d
        SET
          status = 'SENDING',
          attempts = d.attempts + 1,
          claimed_until = now() + p_lease
        FROM
          due u,
          notification.device v
        WHERE
          d.merchant_id = u.merchant_id
          AND d.id = u.id
          AND v.merchant_id = d.merchant_id
          AND v.id = d.device_id
          AND v.customer_id IS NOT DISTINCT FROM d.customer_id
        RETURNING d.merchant_id, d.id, d.attempts, v.platform, v.token, d.kind, d.title, d.body, d.data, d.trace_context
      )
    SELECT t.merchant_id, t.id, t.attempts, t.platform, t.token, t.kind, t.title, t.body, t.data, t.trace_context
    FROM taken t;
END;
$$;
