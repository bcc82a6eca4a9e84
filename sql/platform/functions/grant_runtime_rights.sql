-- Rights in the schemas that Hasura and the queues make for themselves, as far as they are there.
CREATE FUNCTION platform.grant_runtime_rights()
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  IF to_regclass('hdb_catalog.event_log') IS NOT NULL THEN
    GRANT USAGE
    ON SCHEMA hdb_catalog
    TO commerce_engine, commerce_engine_across, commerce_actions, commerce_auth, commerce_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE
    ON ALL TABLES IN SCHEMA hdb_catalog
    TO commerce_engine, commerce_engine_across;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA hdb_catalog TO commerce_engine, commerce_engine_across;
    -- The job that deletes what Hasura keeps of events (platform.purge_engine_logs).
    GRANT SELECT, UPDATE, DELETE
    ON hdb_catalog.event_invocation_logs,
    hdb_catalog.event_log,
    hdb_catalog.hdb_cron_event_invocation_logs,
    hdb_catalog.hdb_cron_events,
    hdb_catalog.hdb_scheduled_event_invocation_logs,
    hdb_catalog.hdb_scheduled_events
    TO commerce_worker;
    -- The triggers of events write as whoever changes the row.
    GRANT INSERT ON hdb_catalog.event_log TO commerce_actions, commerce_auth, commerce_worker;
    GRANT SELECT ON hdb_catalog.event_log TO commerce_actions, commerce_auth, commerce_worker;
    GRANT SELECT (id, resource_version) ON hdb_catalog.hdb_metadata TO commerce_actions, commerce_auth, commerce_worker;
  END IF;
  IF to_regnamespace('bullmq') IS NOT NULL THEN
    GRANT USAGE ON SCHEMA bullmq TO commerce_actions, commerce_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA bullmq TO commerce_actions, commerce_worker;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA bullmq TO commerce_actions, commerce_worker;
  END IF;
  -- The payment sandbox of test deployments, which runs beside the actions and the workers.
  IF to_regnamespace('sandbox_processor') IS NOT NULL THEN
    GRANT USAGE ON SCHEMA sandbox_processor TO commerce_actions, commerce_worker;
    GRANT SELECT, INSERT, UPDATE, DELETE
    ON ALL TABLES IN SCHEMA sandbox_processor
    TO commerce_actions, commerce_worker;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA sandbox_processor TO commerce_actions, commerce_worker;
  END IF;
  -- For the metrics of connections; without it, they show the worker's own alone.
  BEGIN
    GRANT pg_read_all_stats TO commerce_worker;
  EXCEPTION WHEN insufficient_privilege THEN
    NULL;
  END;
END;
$$;
