-- Columns with credentials, and the roles that read and write them. For all others, the table has all columns but
-- these.
--
-- Hasura names every column of the tables that it serves ("SELECT *"), so it reads three of them, which are hashes of
-- random keys or sealed. It writes none.
CREATE FUNCTION platform.grant_credentials()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_row record;
BEGIN
  FOR v_row IN WITH
    credential(relation, columns, roles, is_served) AS (
      VALUES
        ('identity.credential'::regclass, '{password_hash}'::text[], '{commerce_actions}'::text[], FALSE),
        ('identity.recovery_code', '{hash}', '{commerce_actions}', FALSE),
        ('identity.refresh_token', '{hash}', '{commerce_actions}', FALSE),
        ('identity.one_time_token', '{hash}', '{commerce_actions,commerce_worker}', FALSE),
        ('identity.signing_key', '{private_jwk}', '{commerce_actions,commerce_worker}', FALSE),
        ('identity.totp', '{secret}', '{commerce_actions,commerce_worker}', FALSE),
        ('events.endpoint', '{secret,previous_secret}', '{commerce_actions,commerce_worker}', TRUE),
        ('payment.account', '{credentials}', '{commerce_actions,commerce_worker}', TRUE),
        ('merchant.api_key', '{hash}', '{commerce_actions,commerce_auth}', TRUE),
        ('operator.key', '{hash}', '{commerce_auth}', FALSE),
        ('operator.sign_up', '{hash}', '{commerce_actions,commerce_worker}', FALSE)
    )
  SELECT
    c.relation,
    r.role,
    r.rights,
    string_agg(quote_ident(a.attname), ', ') AS columns
  FROM
    credential c
    CROSS JOIN (
      VALUES
        ('commerce_engine', TRUE, '{INSERT,UPDATE}'::text[]),
        ('commerce_engine', FALSE, '{SELECT,INSERT,UPDATE}'),
        ('commerce_actions', NULL, '{SELECT,INSERT,UPDATE}'),
        ('commerce_worker', NULL, '{SELECT,INSERT,UPDATE}'),
        ('commerce_reader', NULL, '{SELECT}')
    ) AS r (role, for_served, rights)
    JOIN pg_attribute a
      ON a.attrelid = c.relation AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (c.columns)
  WHERE r.role <> ALL (c.roles) AND coalesce(r.for_served, c.is_served) = c.is_served
  GROUP BY c.relation, r.role, r.rights LOOP
    EXECUTE format('REVOKE %s ON %s FROM %I', array_to_string(v_row.rights, ', '), v_row.relation, v_row.role);
    EXECUTE
      format(
        'GRANT %s ON %s TO %I',
        (SELECT string_agg(format('%s (%s)', x, v_row.columns), ', ') FROM unnest(v_row.rights) x),
        v_row.relation,
        v_row.role
      );
  END LOOP;
END;
$$;
