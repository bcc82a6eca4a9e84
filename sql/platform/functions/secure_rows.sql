-- Row security of every table with a merchant's id. The parts see and write the rows of the merchant that the
-- transaction names, or all rows if it says that, and why, it is about several merchants (docs/decisions/0217).
CREATE FUNCTION platform.secure_rows()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_table record;
BEGIN
  FOR v_table IN SELECT
    c.oid::regclass AS name,
    CASE c.oid
      WHEN 'merchant.merchant'::regclass THEN ARRAY['id']
      -- The key of a merchant may reach its test data, which is a merchant of its own.
      WHEN 'merchant.api_key'::regclass THEN ARRAY['merchant_id', 'reaches_merchant_id']
      ELSE ARRAY['merchant_id']
    END AS merchant_ids
  FROM
    pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE
    c.relkind IN ('r', 'p')
    AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'hdb_catalog', 'bullmq', 'sandbox_processor')
    AND (
      c.oid = 'merchant.merchant'::regclass
      OR EXISTS (
        SELECT
        FROM pg_attribute a
        WHERE
          a.attrelid = c.oid
          AND a.attname = 'merchant_id'
          AND a.atttypid = 'uuid'::regtype
          AND a.attnotnull
          AND NOT a.attisdropped
      )
    )
    AND NOT (
      c.relforcerowsecurity
      AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'of_merchant')
      AND EXISTS (SELECT FROM pg_policy p WHERE p.polrelid = c.oid AND p.polname = 'of_owner')
    ) LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', v_table.name);
    EXECUTE format('DROP POLICY IF EXISTS of_merchant ON %s', v_table.name);
    EXECUTE format('DROP POLICY IF EXISTS of_owner ON %s', v_table.name);
    -- Subqueries without a reference to the row are run once for a statement, and only if it comes to them.
    EXECUTE
      format(
        'CREATE POLICY of_merchant ON %s ' 
 'TO commerce_engine, commerce_actions, commerce_auth, commerce_worker, commerce_reader USING (' 
 '%s OR (SELECT current_setting(''commerce.across_merchants'', true) <> ''''))',
        v_table.name,
        (
          SELECT
            string_agg(
              format('%I = (SELECT nullif(current_setting(''commerce.merchant_id'', true), '''')::uuid)', m),
              ' OR '
            )
          FROM unnest(v_table.merchant_ids) m
        )
      );
    EXECUTE format('CREATE POLICY of_owner ON %s TO commerce_owner USING (true)', v_table.name);
  END LOOP;
  -- A view reads as its owner, unless it says otherwise.
  FOR v_table IN SELECT c.oid::regclass AS name
  FROM
    pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE
    c.relkind = 'v'
    AND n.nspname IN (SELECT s.name FROM platform.own_schemas() s)
    AND NOT coalesce('security_invoker=true' = ANY (c.reloptions), FALSE) LOOP
    EXECUTE format('ALTER VIEW %s SET (security_invoker = true)', v_table.name);
  END LOOP;
END;
$$;
