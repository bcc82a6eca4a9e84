-- answers: integer
CREATE FUNCTION audit.prepare_months()
RETURNS integer
LANGUAGE plpgsql
-- Only the owner of the table makes parts of it.
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
DECLARE
  v_from timestamptz;
  v_name text;
  v_made integer := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('audit.prepare_months', 0));
  FOR i IN 0..3 LOOP
    v_from := (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => i)) AT TIME ZONE 'UTC';
    v_name := 'entry_' || to_char(v_from AT TIME ZONE 'UTC', 'YYYY_MM');
    -- A month whose entries went to entry_rest stays there.
    CONTINUE WHEN
      to_regclass('audit.' || v_name) IS NOT NULL
      OR EXISTS (
        SELECT FROM audit.entry_rest r WHERE r.created_at >= v_from AND r.created_at < v_from + INTERVAL '1 month'
      );
    EXECUTE
      format(
        'CREATE TABLE audit.%I PARTITION OF audit.entry FOR VALUES FROM (%L) TO (%L)',
        v_name,
        v_from,
        ((v_from AT TIME ZONE 'UTC') + INTERVAL '1 month') AT TIME ZONE 'UTC'
      );
    EXECUTE
      format(
        'CREATE TRIGGER keep_all BEFORE TRUNCATE ON audit.%I FOR EACH STATEMENT EXECUTE FUNCTION audit.keep()',
        v_name
      );
    EXECUTE format('ALTER TABLE audit.%I ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_all', v_name);
    v_made := v_made + 1;
  END LOOP;
  RETURN v_made;
END;
$$;

REVOKE EXECUTE ON FUNCTION audit.prepare_months() FROM PUBLIC;

CREATE FUNCTION audit.drop_months_before(p_before timestamptz)
RETURNS SETOF text
LANGUAGE plpgsql
AS $$
DECLARE
  v_name text;
BEGIN
  FOR v_name IN SELECT c.relname
  FROM
    pg_inherits i
    JOIN pg_class c ON c.oid = i.inhrelid
  WHERE
    i.inhparent = 'audit.entry'::regclass
    AND c.relname ~ '^entry_\d{4}_\d{2}$'
    AND (to_date(substr(c.relname, 7), 'YYYY_MM') + INTERVAL '1 month') AT TIME ZONE 'UTC' <= p_before
  ORDER BY 1 LOOP
    EXECUTE format('DROP TABLE audit.%I', v_name);
    RETURN NEXT v_name;
  END LOOP;
END;
$$;

REVOKE EXECUTE ON FUNCTION audit.drop_months_before(timestamptz) FROM PUBLIC;

-- Drops whole months that ended so many days ago, for the worker, which may do no more: it can't drop a younger one.
--
-- answers: integer
CREATE FUNCTION audit.drop_months_older_than(p_days integer)
RETURNS integer
LANGUAGE sql
VOLATILE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
AS $$
  SELECT count(*)::integer
  FROM audit.drop_months_before(now() - make_interval(days => greatest(p_days, 31)));
$$;

REVOKE EXECUTE ON FUNCTION audit.drop_months_older_than(integer) FROM PUBLIC;

CREATE FUNCTION audit.append(p_entries jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('synchronous_commit', 'off', TRUE);
  INSERT INTO audit.entry
    (
      merchant_id,
      id,
      actor_kind,
      actor_id,
      client_address,
      request_id,
      source,
      operation_name,
      operation,
      target_ids,
      outcome,
      codes,
      occurrences,
      attempt_id
    )
  SELECT
    e.merchant_id,
    coalesce(e.id, platform.uuid_v7()),
    e.actor_kind,
    e.actor_id,
    left(e.client_address, 64),
    left(e.request_id, 128),
    e.source,
    left(e.operation_name, 200),
    left(e.operation, 200),
    coalesce(e.target_ids, '{}'),
    e.outcome,
    coalesce(e.codes, '{}'),
    coalesce(e.occurrences, 1),
    e.attempt_id
  FROM
    jsonb_to_recordset(p_entries) AS e (
      merchant_id uuid,
      id uuid,
      actor_kind text,
      actor_id uuid,
      client_address text,
      request_id text,
      source text,
      operation_name text,
      operation text,
      target_ids uuid[],
      outcome text,
      codes text[],
      occurrences integer,
      attempt_id uuid
    );
END;
$$;

-- Writes the entries of those requests of a list whose responses (NULL: none, or not now) have an outcome that changes
-- something. A request has its `entry` as audit.append takes it, without outcome and records; or NULL, and gets none.
CREATE FUNCTION audit.append_done(p_requests jsonb, p_responses jsonb[], p_changing text[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_entries jsonb := (
    SELECT
      jsonb_agg(
        r.value -> 'entry' || jsonb_build_object(
          'outcome',
          'DONE',
          'target_ids',
          platform.record_ids_of(r.value, p_responses[r.ordinality])
        )
      )
    FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS r
    WHERE r.value ->> 'entry' IS NOT NULL AND p_responses[r.ordinality] ->> 'outcome' = ANY (p_changing)
  );
BEGIN
  IF v_entries IS NOT NULL THEN
    PERFORM audit.append(v_entries);
  END IF;
END;
$$;

CREATE FUNCTION audit.watch(p_table regclass, p_type text, p_id text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_event text;
BEGIN
  FOREACH v_event IN ARRAY '{INSERT,UPDATE,DELETE}'::text[] LOOP
    EXECUTE
      format(
        'CREATE TRIGGER record_%s AFTER %s ON %s REFERENCING %s TABLE AS changed FOR EACH STATEMENT
       WHEN (pg_trigger_depth() = 0 AND current_setting(''hasura.user'', true) LIKE ''%%x-hasura-merchant-id%%'')
       EXECUTE FUNCTION audit.record_rows(%L, %L)',
        lower(v_event),
        v_event,
        p_table,
        CASE v_event
          WHEN 'DELETE' THEN 'OLD'
          ELSE 'NEW'
        END,
        p_type,
        p_id
      );
  END LOOP;
END;
$$;
