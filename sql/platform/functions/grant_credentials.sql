-- For the roles that don't need a credential: the table has all columns but those.
CREATE FUNCTION platform.grant_credentials()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_row record;
BEGIN
  FOR v_row IN WITH
    refused AS (
      SELECT c.relation, r.role, r.command, array_agg(c.column_name) AS columns
      FROM
        platform.credential_columns() c
        CROSS JOIN (
          VALUES
            ('commerce_engine', '{SELECT,INSERT,UPDATE}'::text[]),
            ('commerce_engine_across', '{SELECT,INSERT,UPDATE}'),
            ('commerce_actions', '{SELECT,INSERT,UPDATE}'),
            ('commerce_worker', '{SELECT,INSERT,UPDATE}'),
            ('commerce_reader', '{SELECT}')
        ) AS p (role, commands)
        CROSS JOIN LATERAL (SELECT p.role, x.command FROM unnest(p.commands) x (command)) r
      WHERE r.role <> ALL (c.keepers) AND NOT (r.command = 'SELECT' AND r.role = ANY (c.readers))
      GROUP BY c.relation, r.role, r.command
    )
  SELECT f.relation, f.role, f.command, string_agg(quote_ident(a.attname), ', ') AS columns
  FROM
    refused f
    JOIN pg_attribute a
      ON a.attrelid = f.relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (f.columns)
  GROUP BY f.relation, f.role, f.command LOOP
    EXECUTE format('REVOKE %s ON %s FROM %I', v_row.command, v_row.relation, v_row.role);
    EXECUTE format('GRANT %s (%s) ON %s TO %I', v_row.command, v_row.columns, v_row.relation, v_row.role);
  END LOOP;
END;
$$;
