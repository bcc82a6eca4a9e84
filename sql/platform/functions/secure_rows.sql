-- Row security of every table with a merchant's id. The parts see and write the rows of the merchant that the
-- transaction names, or all rows if it says that it is about several merchants: the engine by the role that it takes,
-- the others by a setting that says why (docs/decisions/0217).
CREATE FUNCTION platform.secure_rows()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_table record;
  v_policy record;
  v_of_merchant text;
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
      AND (
        SELECT count(*)
        FROM pg_policy p
        WHERE p.polrelid = c.oid AND p.polname IN ('of_merchant', 'of_scope', 'of_all')
      ) = 3
    ) LOOP
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY', v_table.name);
    -- Subqueries without a reference to the row are run once for a statement, and only if it comes to them.
    v_of_merchant := (
      SELECT
        string_agg(
          format('%I = (SELECT nullif(current_setting(''commerce.merchant_id'', true), '''')::uuid)', m),
          ' OR '
        )
      FROM unnest(v_table.merchant_ids) m
    );
    FOR v_policy IN SELECT p.name, p.roles, p.condition
    FROM
      (
        VALUES
          -- An alternative in the condition would be asked of each row, and lists and counts are the engine's.
          ('of_merchant', 'commerce_engine', v_of_merchant),
          (
            'of_scope',
            'commerce_actions, commerce_auth, commerce_worker, commerce_reader',
            v_of_merchant || ' OR (SELECT current_setting(''commerce.across_merchants'', true) <> '''')'
          ),
          ('of_all', 'commerce_owner, commerce_engine_across', 'true')
      ) AS p (name, roles, condition) LOOP
      EXECUTE format('DROP POLICY IF EXISTS %I ON %s', v_policy.name, v_table.name);
      EXECUTE
        format(
          'CREATE POLICY %I ON %s TO %s USING (%s)',
          v_policy.name,
          v_table.name,
          v_policy.roles,
          v_policy.condition
        );
    END LOOP;
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
