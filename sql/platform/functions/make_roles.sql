-- The group roles of docs/operating.md, unless they exist: nobody logs in as one of them, and none has an attribute.
-- Whoever migrates belongs to commerce_owner, to which every merchant's rows are visible.
CREATE FUNCTION platform.make_roles()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_role text;
  v_roles text[] := '{commerce_owner,commerce_engine,commerce_actions,commerce_auth,commerce_worker,commerce_reader}';
  v_missing text[];
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
          'Let an administrator of the server run: ALTER ROLE %I CREATEROLE; or %s GRANT commerce_owner TO %I;',
          current_user,
          (SELECT string_agg(format('CREATE ROLE %I NOLOGIN;', r), ' ') FROM unnest(v_missing) r),
          current_user
        );
  END IF;
  IF NOT pg_has_role(current_user, 'commerce_owner', 'USAGE') THEN
    BEGIN
      EXECUTE format('GRANT commerce_owner TO %I', current_user);
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE EXCEPTION 'The user % is not in the role commerce_owner, and may not put itself there', current_user
        USING
          ERRCODE = 'insufficient_privilege',
          HINT = format('Let an administrator of the server run: GRANT commerce_owner TO %I;', current_user);
    END;
  END IF;
END;
$$;
