-- What was given up after its last attempt, at most 1,000 of each kind, the latest. Hasura's tables and the queues' are
-- made by their programs, after this function: it names them only when it is called, and skips what isn't there yet.
CREATE FUNCTION operator.dead_letters()
RETURNS TABLE (
  id uuid,
  kind text,
  queue text,
  name text,
  source_id text,
  merchant_id uuid,
  attempts integer,
  error text,
  created_at timestamptz,
  failed_at timestamptz
)
LANGUAGE plpgsql
STABLE
-- The parts have no rights in the tables of the queues and of Hasura, or in some.
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_most CONSTANT integer := 1000;
BEGIN
  RETURN QUERY SELECT
      operator.dead_letter_id('WEBHOOK_DELIVERY', 'webhooks', d.id::text),
      'WEBHOOK_DELIVERY',
      'webhooks',
      d.topic,
      d.id::text,
      d.merchant_id,
      d.attempts,
      left(coalesce(d.error, 'status ' || d.response_status), 1000),
      d.created_at,
      coalesce(a.started_at, d.next_attempt_at)
    FROM
      (
        SELECT *
        FROM events.delivery f
        WHERE f.status = 'FAILED' AND NOT f.is_test
        ORDER BY f.next_attempt_at DESC
        LIMIT v_most
      ) d
      LEFT JOIN LATERAL (
        SELECT x.started_at
        FROM events.attempt x
        WHERE x.merchant_id = d.merchant_id AND x.delivery_id = d.id
        ORDER BY x.number DESC
        LIMIT 1
      ) a
        ON TRUE;
  IF to_regclass('bullmq.job') IS NOT NULL THEN
    RETURN QUERY SELECT
        operator.dead_letter_id('JOB', j.queue, j.id),
        'JOB',
        j.queue,
        j.name,
        j.id,
        coalesce(j.data #>> '{new,merchant_id}', j.data #>> '{old,merchant_id}')::uuid,
        j.attempts_made,
        left(j.failed_reason, 1000),
        to_timestamp(j.added_at_ms / 1000.0),
        to_timestamp(coalesce(j.finished_at_ms, j.added_at_ms) / 1000.0)
      FROM bullmq.job j
      WHERE j.state = 'failed'
      ORDER BY j.finished_at_ms DESC
      LIMIT v_most;
  END IF;
  IF to_regclass('hdb_catalog.event_log') IS NOT NULL THEN
    RETURN QUERY SELECT
        operator.dead_letter_id('EVENT', 'hasura', e.id),
        'EVENT',
        'hasura',
        e.trigger_name,
        e.id,
        coalesce(e.payload #>> '{data,new,merchant_id}', e.payload #>> '{data,old,merchant_id}')::uuid,
        e.tries,
        left(i.response #>> '{data,message}', 1000),
        e.created_at AT TIME ZONE 'UTC',
        coalesce(i.created_at::timestamptz, e.created_at AT TIME ZONE 'UTC')
      FROM
        (
          SELECT *
          FROM hdb_catalog.event_log l
          WHERE l.error AND NOT l.archived
          ORDER BY l.created_at DESC
          LIMIT v_most
        ) e
        LEFT JOIN LATERAL (
          SELECT l.response, l.created_at
          FROM hdb_catalog.event_invocation_logs l
          WHERE l.event_id = e.id
          ORDER BY l.created_at DESC
          LIMIT 1
        ) i
          ON TRUE;
  END IF;
  IF to_regclass('hdb_catalog.hdb_cron_events') IS NOT NULL THEN
    RETURN QUERY SELECT
        operator.dead_letter_id('CRON_EVENT', 'hasura', e.id),
        'CRON_EVENT',
        'hasura',
        e.trigger_name,
        e.id,
        NULL::uuid,
        e.tries,
        left(coalesce(i.response #>> '{data,message}', e.status), 1000),
        e.created_at,
        coalesce(i.created_at::timestamptz, e.scheduled_time)
      FROM
        (
          SELECT *
          FROM hdb_catalog.hdb_cron_events c
          WHERE c.status IN ('error', 'dead')
          ORDER BY c.scheduled_time DESC
          LIMIT v_most
        ) e
        LEFT JOIN LATERAL (
          SELECT l.response, l.created_at
          FROM hdb_catalog.hdb_cron_event_invocation_logs l
          WHERE l.event_id = e.id
          ORDER BY l.created_at DESC
          LIMIT 1
        ) i
          ON TRUE;
    RETURN QUERY SELECT
        operator.dead_letter_id('ONE_OFF_EVENT', 'hasura', e.id),
        'ONE_OFF_EVENT',
        'hasura',
        coalesce(e.comment, 'a scheduled event'),
        e.id,
        NULL::uuid,
        e.tries,
        left(coalesce(i.response #>> '{data,message}', e.status), 1000),
        e.created_at,
        coalesce(i.created_at::timestamptz, e.scheduled_time)
      FROM
        (
          SELECT *
          FROM hdb_catalog.hdb_scheduled_events s
          WHERE s.status IN ('error', 'dead')
          ORDER BY s.scheduled_time DESC
          LIMIT v_most
        ) e
        LEFT JOIN LATERAL (
          SELECT l.response, l.created_at
          FROM hdb_catalog.hdb_scheduled_event_invocation_logs l
          WHERE l.event_id = e.id
          ORDER BY l.created_at DESC
          LIMIT 1
        ) i
          ON TRUE;
  END IF;
END;
$$;

REVOKE EXECUTE ON FUNCTION operator.dead_letters() FROM PUBLIC;
