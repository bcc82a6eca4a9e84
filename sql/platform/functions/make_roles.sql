-- The group roles of docs/operating.md, unless they exist: nobody logs in as one of them, and none has an attribute.
-- Whoever migrates belongs to commerce_owner, to which every merchant's rows are visible.
--
-- commerce_engine belongs to commerce_engine_across without having its rights (NOINHERIT), and so its rows, before it
-- takes that role.
CREATE FUNCTION platform.make_roles()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_role text;
  v_roles text[] := ARRAY[
    'commerce_owner',
    'commerce_engine',
    'commerce_engine_across',
    'commerce_actions',
    'commerce_auth',
    'commerce_worker',
    'commerce_reader'
  ];
  v_missing text[];
  v_statement text;
  v_memberships text[];
BEGIN
  FOREACH v_role IN ARRAY v_roles LOOP
    CONTINUE WHEN to_regrole(v_role) IS NOT NULL;
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', v_role);
      -- Roles belong to all databases of the server: another one may be migrated at this moment.
    EXCEPTION
      WHEN duplicate_object OR unique_violation THEN
        NULL;
      WHEN insufficient_privilege THEN
        v_missing := v_missing || v_role;
    END;
  END LOOP;
  IF v_missing IS NOT NULL THEN
    RAISE EXCEPTION 'The user % may not create roles, and these are missing: %',
      current_user,
      array_to_string(v_missing, ', ')
      USING
        ERRCODE = 'insufficient_privilege',
        HINT = format(
          'Let an administrator of the server run: ALTER ROLE %I CREATEROLE; or %s',
          current_user,
          (SELECT string_agg(format('CREATE ROLE %I NOLOGIN;', r), ' ') FROM unnest(v_missing) r)
        );
  END IF;
  -- In this order: a membership inherits what its member does at the time of the grant.
  v_memberships := array_remove(
    ARRAY[
      CASE
        WHEN (
          SELECT r.rolinherit FROM pg_roles r WHERE r.rolname = 'commerce_engine'
        ) THEN 'ALTER ROLE commerce_engine NOINHERIT'
      END,
      CASE
        WHEN NOT pg_has_role(
          'commerce_engine',
          'commerce_engine_across',
          'MEMBER'
        ) THEN 'GRANT commerce_engine_across TO commerce_engine'
      END,
      CASE
        WHEN NOT pg_has_role(
          'commerce_owner',
          'commerce_engine_across',
          'MEMBER'
        ) THEN 'GRANT commerce_engine_across TO commerce_owner'
      END,
      CASE
        WHEN NOT pg_has_role(current_user, 'commerce_owner', 'USAGE') THEN format(
          'GRANT commerce_owner TO %I',
          current_user
        )
      END
    ],
    NULL
  );
  FOREACH v_statement IN ARRAY v_memberships LOOP
    BEGIN
      EXECUTE v_statement;
    EXCEPTION
      WHEN unique_violation THEN
        NULL;
      WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'The user % may not run: %', current_user, v_statement
          USING
            ERRCODE = 'insufficient_privilege',
            HINT = format('Let an administrator of the server run: %s;', array_to_string(v_memberships, '; '));
    END;
  END LOOP;
END;
$$;
