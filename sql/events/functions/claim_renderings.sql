-- Deliveries that have to be rendered, of as many endpoints as the limit, and of each at most p_batch. An endpoint is
-- with one caller at a time, so that one whose selection is slow, or which has much to render, holds up only itself. A
-- delivery of an event that the endpoint may not see any more has failed. Those of a suspended merchant wait.
--
-- answers:
--   rows {
--   merchant_id: uuid, endpoint_id: uuid, query: text | null, permissions: text[], permissions_version: integer,
--   id: uuid, attempt: integer, event: object
--   }
CREATE FUNCTION events.claim_renderings(p_limit integer, p_batch integer, p_lease interval)
RETURNS TABLE (
  merchant_id uuid,
  endpoint_id uuid,
  query text,
  permissions text[],
  permissions_version integer,
  id uuid,
  attempt integer,
  event jsonb
)
LANGUAGE sql
VOLATILE
AS $$
  WITH RECURSIVE
    -- One look into the index for each endpoint that has something to render, however much that is.
    waiting AS (
      (
        SELECT d.merchant_id, d.endpoint_id
        FROM events.delivery d
        WHERE d.body IS NULL AND d.status = 'PENDING'
        ORDER BY d.merchant_id, d.endpoint_id
        LIMIT 1
      )
      UNION ALL
      SELECT n.merchant_id, n.endpoint_id
      FROM
        waiting w
        CROSS JOIN LATERAL (
          SELECT d.merchant_id, d.endpoint_id
          FROM events.delivery d
          WHERE
            d.body IS NULL
            AND d.status = 'PENDING'
            AND (d.merchant_id, d.endpoint_id) > (w.merchant_id, w.endpoint_id)
          ORDER BY d.merchant_id, d.endpoint_id
          LIMIT 1
        ) n
    ),
    chosen AS MATERIALIZED (
      SELECT e.*
      FROM
        waiting w
        JOIN events.endpoint e ON e.merchant_id = w.merchant_id AND e.id = w.endpoint_id
      WHERE
        merchant.is_active(e.merchant_id)
        AND EXISTS (
          SELECT
          FROM events.delivery d
          WHERE
            d.merchant_id = e.merchant_id
            AND d.endpoint_id = e.id
            AND d.body IS NULL
            AND d.status = 'PENDING'
            AND d.next_attempt_at <= now()
        )
        AND NOT EXISTS (
          SELECT
          FROM events.delivery d
          WHERE
            d.merchant_id = e.merchant_id
            AND d.endpoint_id = e.id
            AND d.body IS NULL
            AND d.status = 'PENDING'
            AND d.claimed_until > now()
        )
      ORDER BY random()
      LIMIT p_limit
    ),
    taken AS (
      UPDATE events.delivery d
      SET
        status = CASE
          WHEN due.is_permitted THEN 'PENDING'
          ELSE 'FAILED'
        END,
        error = CASE
          WHEN due.is_permitted THEN d.error
          ELSE 'The endpoint has no permission to see this event any more'
        END,
        claimed_until = CASE
          WHEN due.is_permitted THEN now() + p_lease
        END,
        rendering_attempts = d.rendering_attempts + due.is_permitted::integer
      FROM
        chosen c
        CROSS JOIN LATERAL (
          SELECT x.id, e.permission = ANY (c.permissions) AS is_permitted
          FROM
            events.delivery x
            JOIN events.event e ON e.merchant_id = x.merchant_id AND e.id = x.event_id
          WHERE
            x.merchant_id = c.merchant_id
            AND x.endpoint_id = c.id
            AND x.body IS NULL
            AND x.status = 'PENDING'
            AND x.next_attempt_at <= now()
          ORDER BY x.position
          LIMIT p_batch
          FOR UPDATE OF x SKIP LOCKED
        ) due
      WHERE d.merchant_id = c.merchant_id AND d.id = due.id
      RETURNING d.*, due.is_permitted, c.query, c.permissions, c.permissions_version AS present_version
    )
  SELECT
    t.merchant_id,
    t.endpoint_id,
    t.query,
    t.permissions,
    t.present_version,
    t.id,
    t.rendering_attempts,
    jsonb_build_object(
      'id',
      e.id,
      'topic',
      e.topic,
      'position',
      e.position,
      'recordType',
      e.record_type,
      'recordId',
      e.record_id,
      'version',
      e.version,
      'occurredAt',
      e.occurred_at,
      'record',
      e.record,
      'changes',
      e.changes
    )
  FROM
    taken t
    JOIN events.event e ON e.merchant_id = t.merchant_id AND e.id = t.event_id
  WHERE t.is_permitted
  ORDER BY t.endpoint_id, t.position;
$$;
