-- Deletes what Hasura keeps of events that have ended, dead letters included, and of their invocations, at most p_limit
-- rows of each table. Hasura makes its tables after this function, and times without a zone are in UTC or the
-- session's: hours don't matter here.
--
-- answers: integer
CREATE FUNCTION platform.purge_engine_logs(p_events_kept interval, p_invocations_kept interval, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_log record;
  v_gone integer;
  v_sum integer := 0;
BEGIN
  FOR v_log IN SELECT l.name, l.condition
  FROM
    (
      VALUES
        ('event_invocation_logs', 'x.created_at < now() - $2'),
        ('hdb_cron_event_invocation_logs', 'x.created_at < now() - $2'),
        ('hdb_scheduled_event_invocation_logs', 'x.created_at < now() - $2'),
        ('event_log', '(x.delivered OR x.error OR x.archived) AND x.created_at < now() - $1'),
        ('hdb_cron_events', $c$x.status IN ('delivered', 'error', 'dead') AND x.scheduled_time < now() - $1$c$),
        ('hdb_scheduled_events', $c$x.status IN ('delivered', 'error', 'dead') AND x.scheduled_time < now() - $1$c$)
    ) AS l (name, condition)
  WHERE to_regclass('hdb_catalog.' || l.name) IS NOT NULL LOOP
    EXECUTE
      format(
        'WITH gone AS (
           DELETE FROM hdb_catalog.%1$I WHERE id IN (
             SELECT x.id FROM hdb_catalog.%1$I x WHERE %2$s LIMIT $3 FOR UPDATE SKIP LOCKED
           ) RETURNING 1
         ) SELECT count(*)::integer FROM gone',
        v_log.name,
        v_log.condition
      )
    INTO v_gone
    USING p_events_kept, p_invocations_kept, p_limit;
    v_sum := v_sum + v_gone;
  END LOOP;
  RETURN v_sum;
END;
$$;
