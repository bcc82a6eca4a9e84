-- Makes the triggers of a source: one for each kind of change that has a topic. Of a source that only adds rows, a
-- statement's rows are noted together. Those of others are noted one by one, before other triggers change them again.
CREATE FUNCTION events.watch(p_source events.source)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_table regclass := p_source.table_name::regclass;
  v_watched text[];
  v_hidden text[];
  v_change text;
  v_changes text[] := ARRAY(SELECT DISTINCT t.change FROM events.topic t WHERE t.source = p_source.name ORDER BY 1);
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
  IF v_changes = '{CREATED}' THEN
    EXECUTE
      format(
        'CREATE TRIGGER event_created AFTER INSERT ON %s REFERENCING NEW TABLE AS added FOR EACH STATEMENT
         WHEN (current_setting(''platform.importing'', TRUE) IS DISTINCT FROM ''on'')
         EXECUTE FUNCTION events.capture_added(%L, %L)',
        v_table,
        p_source.name,
        v_hidden
      );
    RETURN;
  END IF;
  FOREACH v_change IN ARRAY v_changes LOOP
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
