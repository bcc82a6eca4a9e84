-- Sends events of a span again, or for the first time: those that the endpoint hears of, by its topics, filter and
-- permissions, p_limit of them from the earliest on, and the others of the last one's instant. `until` is the time of
-- the first one that is left; NULL: none is. Of named deliveries, those of events that the endpoint may not see are
-- left out.
--
-- answers:
--   replayed {count: integer, until: text | null}
--   | unknown_endpoint {}
--   | unknown_delivery {index: integer}
-- nullable: p_from, p_to, p_delivery_ids
CREATE FUNCTION events.replay(
  p_merchant_id uuid,
  p_endpoint_id uuid,
  p_from timestamptz,
  p_to timestamptz,
  p_delivery_ids uuid[],
  p_only_undelivered boolean,
  p_limit integer
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_endpoint events.endpoint;
  v_count integer;
  v_until timestamptz;
  v_unknown integer;
BEGIN
  SELECT *
  INTO v_endpoint
  FROM events.endpoint e
  WHERE e.merchant_id = p_merchant_id AND e.id = p_endpoint_id
  FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_endpoint');
  END IF;
  SELECT n.number - 1
  INTO v_unknown
  FROM unnest(p_delivery_ids) WITH ORDINALITY AS n (id, number)
  WHERE
    NOT EXISTS (
      SELECT
      FROM events.delivery d
      WHERE d.merchant_id = p_merchant_id AND d.endpoint_id = p_endpoint_id AND d.id = n.id
    )
  ORDER BY n.number
  LIMIT 1;
  IF FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_delivery', 'index', v_unknown);
  END IF;
  WITH
    heard AS NOT MATERIALIZED (
      SELECT e.merchant_id, e.id, e.topic, e.record_id, e.position, e.occurred_at
      FROM events.event e
      WHERE
        e.merchant_id = p_merchant_id
        AND p_delivery_ids IS NULL
        AND e.occurred_at >= coalesce(p_from, '-infinity')
        AND e.occurred_at <= coalesce(p_to, 'infinity')
        AND e.permission = ANY (v_endpoint.permissions)
        AND events.hears(v_endpoint.topics, e.topic)
        AND events.matches(v_endpoint.filter, e.record, e.changes)
        AND (
          NOT p_only_undelivered
          OR NOT EXISTS (
            SELECT
            FROM events.delivery d
            WHERE
              d.merchant_id = e.merchant_id
              AND d.endpoint_id = p_endpoint_id
              AND d.event_id = e.id
              AND NOT d.is_test
              AND d.status = 'DELIVERED'
          )
        )
    ),
    full_at AS MATERIALIZED (SELECT h.occurred_at FROM heard h ORDER BY h.occurred_at OFFSET p_limit - 1 LIMIT 1),
    wanted AS MATERIALIZED (
      SELECT * FROM heard h WHERE h.occurred_at <= coalesce((SELECT f.occurred_at FROM full_at f), 'infinity')
    ),
    added AS (
      INSERT INTO events.delivery (merchant_id, endpoint_id, event_id, topic, record_id, position)
      SELECT w.merchant_id, p_endpoint_id, w.id, w.topic, w.record_id, w.position
      FROM wanted w
      ON CONFLICT (merchant_id, endpoint_id, event_id) WHERE NOT is_test DO UPDATE
        SET
          status = 'PENDING',
          tries = 0,
          claimed_until = NULL,
          next_attempt_at = now(),
          delivered_at = NULL
        WHERE delivery.status IN ('DELIVERED', 'FAILED', 'PENDING')
      RETURNING 1
    ),
    named AS (
      UPDATE events.delivery d
      SET
        status = 'PENDING',
        tries = 0,
        claimed_until = NULL,
        next_attempt_at = now(),
        delivered_at = NULL
      WHERE
        d.merchant_id = p_merchant_id
        AND d.endpoint_id = p_endpoint_id
        AND d.id = ANY (p_delivery_ids)
        AND d.status <> 'SENDING'
        AND (
          d.event_id IS NULL
          OR EXISTS (
            SELECT
            FROM events.event e
            WHERE e.merchant_id = d.merchant_id AND e.id = d.event_id AND e.permission = ANY (v_endpoint.permissions)
          )
        )
        AND NOT (p_only_undelivered AND d.status = 'DELIVERED')
      RETURNING 1
    )
  SELECT
    (SELECT count(*) FROM added) + (SELECT count(*) FROM named),
    (
      SELECT h.occurred_at
      FROM heard h
      WHERE h.occurred_at > (SELECT f.occurred_at FROM full_at f)
      ORDER BY h.occurred_at
      LIMIT 1
    )
  INTO v_count, v_until;
  RETURN jsonb_build_object('outcome', 'replayed', 'count', v_count, 'until', to_json(v_until) #>> '{}');
END;
$$;
