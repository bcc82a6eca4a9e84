-- Deliveries to send now. Of a record, an endpoint gets the next one after the one before was taken or given up. An
-- endpoint that answers has p_at_once of them under way, one that fails has one; one that is switched off gets tests
-- alone. What was rendered before the endpoint lost a permission is not sent: it is to be rendered again.
--
-- answers:
--   rows {
--   merchant_id: uuid, id: uuid, endpoint_id: uuid, url: text, secret: text, previous_secret: text | null,
--   body: text, attempt: integer, topic: text, trace_context: text | null
--   }
CREATE FUNCTION events.claim_deliveries(p_limit integer, p_at_once integer, p_lease interval)
RETURNS TABLE (
  merchant_id uuid,
  id uuid,
  endpoint_id uuid,
  url text,
  secret text,
  previous_secret text,
  body text,
  attempt integer,
  topic text,
  trace_context text
)
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE events.delivery d
  SET
    status = 'PENDING',
    claimed_until = NULL
  WHERE
    (d.merchant_id, d.id) IN (
      SELECT x.merchant_id, x.id
      FROM events.delivery x
      WHERE x.status = 'SENDING' AND x.claimed_until < now()
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    );
  RETURN QUERY WITH
      waiting AS MATERIALIZED (
        SELECT e.merchant_id, e.id
        FROM events.endpoint e
        WHERE
          e.status = 'ENABLED'
          AND EXISTS (
            SELECT
            FROM events.delivery d
            WHERE
              d.merchant_id = e.merchant_id
              AND d.endpoint_id = e.id
              AND d.status = 'PENDING'
              AND d.body IS NOT NULL
              AND d.next_attempt_at <= now()
          )
        UNION
        SELECT t.merchant_id, t.endpoint_id
        FROM events.delivery t
        WHERE t.is_test AND t.status = 'PENDING' AND t.body IS NOT NULL AND t.next_attempt_at <= now()
      ),
      endpoint AS MATERIALIZED (
        SELECT
          e.*,
          CASE
            WHEN e.failing_since IS NULL THEN p_at_once
            ELSE 1
          END - (
            SELECT count(*)
            FROM events.delivery s
            WHERE s.merchant_id = e.merchant_id AND s.endpoint_id = e.id AND s.status = 'SENDING'
          ) AS free
        FROM
          waiting w
          JOIN events.endpoint e ON e.merchant_id = w.merchant_id AND e.id = w.id
        WHERE merchant.is_active(e.merchant_id)
        ORDER BY random()
      ),
      due AS MATERIALIZED (
        SELECT e.merchant_id, x.id, x.is_sendable, e.url, s.secret, s.previous_secret, e.previous_secret_until
        FROM
          endpoint e
          JOIN events.endpoint_secret s ON s.merchant_id = e.merchant_id AND s.endpoint_id = e.id
          CROSS JOIN LATERAL (
            SELECT d.id, d.event_id IS NULL OR d.permissions_version = e.permissions_version AS is_sendable
            FROM events.delivery d
            WHERE
              d.merchant_id = e.merchant_id
              AND d.endpoint_id = e.id
              AND d.status = 'PENDING'
              AND d.body IS NOT NULL
              AND d.next_attempt_at <= now()
              AND (e.status = 'ENABLED' OR d.is_test)
              AND NOT EXISTS (
                SELECT
                FROM events.delivery b
                WHERE
                  b.merchant_id = d.merchant_id
                  AND b.endpoint_id = d.endpoint_id
                  AND b.record_id = d.record_id
                  AND b.status IN ('PENDING', 'SENDING')
                  AND b.position < d.position
                  AND NOT d.is_test
                  AND NOT b.is_test
              )
            ORDER BY d.next_attempt_at, d.position
            LIMIT greatest(e.free, 0)
            FOR UPDATE OF d SKIP LOCKED
          ) x
        LIMIT p_limit
      ),
      taken AS (
        UPDATE events.delivery d
        SET
          status = CASE
            WHEN u.is_sendable THEN 'SENDING'
            ELSE 'PENDING'
          END,
          body = CASE
            WHEN u.is_sendable THEN d.body
          END,
          rendering_attempts = CASE
            WHEN u.is_sendable THEN d.rendering_attempts
            ELSE 0
          END,
          attempts = d.attempts + u.is_sendable::integer,
          claimed_until = CASE
            WHEN u.is_sendable THEN now() + p_lease
          END
        FROM due u
        WHERE d.merchant_id = u.merchant_id AND d.id = u.id
        RETURNING d.*, u.is_sendable, u.url, u.secret, u.previous_secret, u.previous_secret_until
      )
    SELECT
      t.merchant_id,
      t.id,
      t.endpoint_id,
      t.url,
      t.secret,
      CASE
        WHEN t.previous_secret_until > now() THEN t.previous_secret
      END,
      t.body,
      t.attempts,
      t.topic,
      t.trace_context
    FROM taken t
    WHERE t.is_sendable
    ORDER BY t.position;
END;
$$;
