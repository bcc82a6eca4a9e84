-- Turns committed changes into events, in the order in which each row was changed, gives each its version and position,
-- and queues it for the endpoints that hear of it. One caller at a time does it, and the lock is held until its commit;
-- another returns at once. Changes of a merchant that is gone are dropped. `topics` has how many events each topic got.
--
-- answers: sequenced {taken: integer, topics: object}
CREATE FUNCTION events.sequence(p_limit integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_answer jsonb;
BEGIN
  IF
    NOT EXISTS (SELECT FROM events.change)
    OR NOT pg_try_advisory_xact_lock(hashtextextended('events.sequence', 0))
  THEN
    RETURN jsonb_build_object('outcome', 'sequenced', 'taken', 0, 'topics', '{}'::jsonb);
  END IF;
  WITH
    taken AS (
      DELETE FROM events.change c
      WHERE c.number IN (SELECT x.number FROM events.change x ORDER BY x.number LIMIT p_limit)
      RETURNING c.*
    ),
    -- Here, and not in the transaction of the change: rows of several tables tell of one record, and have no lock in
    -- common.
    numbered AS MATERIALIZED (
      SELECT o.*, lpad(nextval('events.version')::text, 16, '0') AS version
      FROM (SELECT * FROM taken t ORDER BY t.number) o
    ),
    happened AS (
      SELECT
        t.*,
        s.record_type,
        s.permission,
        (coalesce(t.after, t.before) ->> s.id_column)::uuid AS record_id,
        CASE
          WHEN t.before IS NULL THEN 'CREATED'
          WHEN t.after IS NULL THEN 'DELETED'
          ELSE 'UPDATED'
        END AS change,
        f.record,
        coalesce(f.changes, '{}') AS changes
      FROM
        numbered t
        JOIN events.source s ON s.name = t.source
        JOIN merchant.merchant m ON m.id = t.merchant_id
        CROSS JOIN LATERAL (
          SELECT
            jsonb_object_agg(events.field_name(c), coalesce(t.after, t.before) -> c) AS record,
            jsonb_object_agg(
              events.field_name(c),
              jsonb_build_object('old', t.before -> c, 'new', t.after -> c)
            ) FILTER (
              WHERE t.before IS NOT NULL AND t.after IS NOT NULL AND t.before -> c IS DISTINCT FROM t.after -> c
            ) AS changes
          FROM unnest(s.columns) c
        ) f
    ),
    told AS (
      INSERT INTO events.event
        (merchant_id, topic, record_type, record_id, version, permission, record, changes, occurred_at)
      SELECT
        h.merchant_id,
        t.name,
        h.record_type,
        h.record_id,
        h.version,
        h.permission,
        h.record,
        h.changes,
        h.occurred_at
      FROM
        happened h
        JOIN events.topic t ON t.source = h.source AND t.change = h.change
      WHERE
        h.record_id IS NOT NULL
        AND CASE
          WHEN t.column_name IS NULL THEN h.change <> 'UPDATED'
          OR h.changes <> '{}'
          ELSE h.after ->> t.column_name IS DISTINCT FROM h.before ->> t.column_name
          AND CASE
            WHEN t.value IS NULL THEN h.after ->> t.column_name IS NOT NULL
            ELSE h.after ->> t.column_name = t.value
          END
        END
      ORDER BY h.version, t.column_name IS NOT NULL, t.name
      RETURNING *
    ),
    queued AS (
      INSERT INTO events.delivery (merchant_id, endpoint_id, event_id, topic, record_id, position, trace_context)
      SELECT t.merchant_id, w.id, t.id, t.topic, t.record_id, t.position, c.trace_context
      FROM
        told t
        JOIN numbered c ON c.merchant_id = t.merchant_id AND c.version = t.version
        JOIN events.endpoint w ON w.merchant_id = t.merchant_id AND w.status = 'ENABLED'
      WHERE
        t.permission = ANY (w.permissions)
        AND events.hears(w.topics, t.topic)
        AND events.matches(w.filter, t.record, t.changes)
      ORDER BY t.position
    )
  SELECT
    jsonb_build_object(
      'outcome',
      'sequenced',
      'taken',
      (SELECT count(*) FROM taken),
      'topics',
      (
        SELECT coalesce(jsonb_object_agg(c.topic, c.count), '{}')
        FROM (SELECT t.topic, count(*) AS count FROM told t GROUP BY t.topic) c
      )
    )
  INTO v_answer;
  RETURN v_answer;
END;
$$;
