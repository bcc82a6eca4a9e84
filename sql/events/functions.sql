-- The contract's name of a column: `order_number` is `orderNumber`.
CREATE FUNCTION events.field_name(p_column text)
RETURNS text
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT left(p_column, 1) || substr(replace(initcap(replace(p_column, '_', ' ')), ' ', ''), 2);
$$;

-- Makes the triggers of a source: one for each kind of change that has a topic.
CREATE FUNCTION events.watch(p_source events.source)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_table regclass := p_source.table_name::regclass;
  v_watched text[];
  v_hidden text[];
  v_change text;
BEGIN
  v_watched := ARRAY(
    SELECT c FROM unnest(p_source.columns) c
    UNION
    SELECT t.column_name
    FROM events.topic t
    WHERE t.source = p_source.name AND t.column_name IS NOT NULL
    ORDER BY 1
  );
  v_hidden := ARRAY(
    SELECT a.attname
    FROM pg_attribute a
    WHERE
      a.attrelid = v_table
      AND a.attnum > 0
      AND NOT a.attisdropped
      AND a.attname <> ALL (v_watched || ARRAY[p_source.id_column])
    ORDER BY a.attname
  );
  FOR v_change IN SELECT DISTINCT t.change FROM events.topic t WHERE t.source = p_source.name ORDER BY 1 LOOP
    EXECUTE
      format(
        'CREATE TRIGGER event_%s AFTER %s ON %s FOR EACH ROW
         WHEN (current_setting(''platform.importing'', TRUE) IS DISTINCT FROM ''on''%s)
         EXECUTE FUNCTION events.capture(%L, %L)',
        lower(v_change),
        CASE v_change
          WHEN 'CREATED' THEN 'INSERT'
          WHEN 'UPDATED' THEN 'UPDATE'
          ELSE 'DELETE'
        END,
        v_table,
        CASE v_change
          WHEN 'UPDATED' THEN (
            SELECT
              format(
                ' AND (%s) IS DISTINCT FROM (%s)',
                string_agg(format('OLD.%I', c), ', '),
                string_agg(format('NEW.%I', c), ', ')
              )
            FROM unnest(v_watched) c
          )
          ELSE ''
        END,
        p_source.name,
        v_hidden
      );
  END LOOP;
END;
$$;

-- Deletes events and what belongs to them, the oldest first.
--
-- answers: integer
CREATE FUNCTION events.purge(p_older_than interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM events.event e
      WHERE
        (e.merchant_id, e.id) IN (
          SELECT x.merchant_id, x.id
          FROM events.event x
          WHERE x.created_at < now() - p_older_than
          ORDER BY x.created_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

-- Forgets what was recorded of a customer, and of records that name the customer, before it was anonymised; only that
-- it was remains. The sequencer waits meanwhile: nothing of the customer is on its way into the events.
CREATE FUNCTION events.forget_customer(p_merchant_id uuid, p_customer_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('events.sequence', 0));
  DELETE FROM events.change c
  WHERE
    c.merchant_id = p_merchant_id
    AND p_customer_id::text IN (coalesce(c.after, c.before) ->> 'id', coalesce(c.after, c.before) ->> 'customer_id');
  DELETE FROM events.event e
  WHERE
    e.merchant_id = p_merchant_id
    AND (e.record_id = p_customer_id OR e.record ->> 'customerId' = p_customer_id::text);
  INSERT INTO events.change (merchant_id, source, before, after)
  SELECT
    c.merchant_id,
    'customer',
    jsonb_build_object('id', c.id, 'status', c.status),
    jsonb_build_object('id', c.id, 'status', c.status, 'anonymized_at', c.anonymized_at)
  FROM crm.customer c
  WHERE c.merchant_id = p_merchant_id AND c.id = p_customer_id;
END;
$$;

-- Deletes records of deletions that are older than this. Returns how many.
-- answers: integer
CREATE FUNCTION events.purge_deletions(p_older_than interval, p_limit integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    gone AS (
      DELETE FROM events.deletion d
      WHERE
        (d.merchant_id, d.id) IN (
          SELECT x.merchant_id, x.id
          FROM events.deletion x
          WHERE x.deleted_at < now() - p_older_than
          ORDER BY x.deleted_at
          LIMIT p_limit
          FOR UPDATE SKIP LOCKED
        )
      RETURNING 1
    )
  SELECT count(*)::integer
  FROM gone;
$$;

CREATE FUNCTION events.watch_deletions(p_table regclass, p_type text, p_permission text)
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  EXECUTE
    format(
      'CREATE TRIGGER record_deletions AFTER DELETE ON %s REFERENCING OLD TABLE AS gone FOR EACH STATEMENT ' 
 'EXECUTE FUNCTION events.record_deletions(%L, %L)',
      p_table,
      p_type,
      p_permission
    );
END;
$$;
