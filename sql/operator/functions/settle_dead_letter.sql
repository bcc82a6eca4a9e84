-- Whether it was still there to be settled.
CREATE FUNCTION operator.settle_dead_letter(p_letter operator.dead_letter, p_retry boolean)
RETURNS boolean
LANGUAGE plpgsql
AS $$
DECLARE
  v_id CONSTANT text := p_letter.source_id;
BEGIN
  CASE p_letter.kind
    WHEN 'JOB' THEN
      IF p_retry THEN
        RETURN bullmq.reprocess_job(p_letter.queue, v_id, 'failed', FALSE, TRUE, TRUE) = 1;
      END IF;
      PERFORM FROM bullmq.job j WHERE j.queue = p_letter.queue AND j.id = v_id AND j.state = 'failed' FOR UPDATE;
      RETURN FOUND AND bullmq.remove(p_letter.queue, v_id, TRUE) = 1;
    WHEN 'EVENT' THEN
      UPDATE hdb_catalog.event_log e
      SET
        error = FALSE,
        delivered = FALSE,
        tries = 0,
        next_retry_at = NULL,
        archived = NOT p_retry
      WHERE e.id = v_id AND e.error AND NOT e.archived;
    WHEN 'CRON_EVENT' THEN
      IF p_retry THEN
        -- Due now: one that is overdue for too long is given up without an attempt.
        UPDATE hdb_catalog.hdb_cron_events e
        SET
          status = 'scheduled',
          tries = 0,
          next_retry_at = NULL,
          scheduled_time = clock_timestamp()
        WHERE e.id = v_id AND e.status IN ('error', 'dead');
      ELSE
        DELETE FROM hdb_catalog.hdb_cron_events e WHERE e.id = v_id AND e.status IN ('error', 'dead');
      END IF;
    WHEN 'ONE_OFF_EVENT' THEN
      IF p_retry THEN
        UPDATE hdb_catalog.hdb_scheduled_events e
        SET
          status = 'scheduled',
          tries = 0,
          next_retry_at = NULL,
          scheduled_time = clock_timestamp()
        WHERE e.id = v_id AND e.status IN ('error', 'dead');
      ELSE
        DELETE FROM hdb_catalog.hdb_scheduled_events e WHERE e.id = v_id AND e.status IN ('error', 'dead');
      END IF;
    WHEN 'WEBHOOK_DELIVERY' THEN
      IF p_retry THEN
        UPDATE events.delivery d
        SET
          status = 'PENDING',
          tries = 0,
          claimed_until = NULL,
          next_attempt_at = now()
        WHERE d.merchant_id = p_letter.merchant_id AND d.id = v_id::uuid AND d.status = 'FAILED';
      ELSE
        DELETE FROM events.delivery d
        WHERE d.merchant_id = p_letter.merchant_id AND d.id = v_id::uuid AND d.status = 'FAILED';
      END IF;
  END CASE;
  RETURN FOUND;
END;
$$;
