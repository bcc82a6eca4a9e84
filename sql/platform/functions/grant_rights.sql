-- What each of the roles may do, in the one place that says so (docs/operating.md has it as a table). It runs at the
-- end of each migration, so that what a migration adds has its rights, and does nothing where they are right.
--
-- Reading and writing is granted by schema. Credentials are granted by column, to the roles that check or make them.
CREATE FUNCTION platform.grant_rights()
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_part text;
  v_schema text;
  v_table record;
  -- The comment of the schema says which rights it has.
  v_rights text := (
    SELECT 'rights ' || md5(string_agg(p.prosrc, '' ORDER BY p.proname))
    FROM pg_proc p
    WHERE
      p.pronamespace = 'platform'::regnamespace
      AND p.proname ~ '^(grant_.+|credential_columns|auth_rights|own_schemas|secure_rows)$'
  );
BEGIN
  PERFORM platform.make_roles();
  IF v_rights = obj_description('platform'::regnamespace, 'pg_namespace') AND NOT platform.lacks_rights() THEN
    RETURN;
  END IF;
  PERFORM platform.secure_rows();
  FOR v_schema IN SELECT s.name FROM platform.own_schemas() s LOOP
    EXECUTE
      format(
        'GRANT USAGE ON SCHEMA %I TO commerce_engine, commerce_engine_across, commerce_actions, commerce_auth, ' 
 'commerce_worker, commerce_reader',
        v_schema
      );
    EXECUTE format('GRANT SELECT ON ALL TABLES IN SCHEMA %I TO commerce_reader', v_schema);
    FOREACH v_part IN ARRAY '{commerce_engine,commerce_engine_across,commerce_actions,commerce_worker}'::text[] LOOP
      EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO %I', v_schema, v_part);
      EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO %I', v_schema, v_part);
    END LOOP;
  END LOOP;
  FOR v_table IN SELECT r.role, r.relation, r.rights FROM platform.auth_rights() r LOOP
    EXECUTE format('GRANT %s ON %s TO %I', v_table.rights, v_table.relation, v_table.role);
  END LOOP;
  -- Only whoever migrates writes what says which schema there is.
  REVOKE INSERT, UPDATE, DELETE
  ON platform.applied_migration, platform.applied_metadata
  FROM commerce_engine, commerce_engine_across, commerce_actions, commerce_worker;
  -- The functions that run as the owner.
  GRANT EXECUTE ON FUNCTION merchant.delete_rows(uuid, integer) TO commerce_worker;
  GRANT EXECUTE ON FUNCTION audit.prepare_months() TO commerce_worker;
  GRANT EXECUTE ON FUNCTION audit.drop_months_older_than(integer) TO commerce_worker;
  GRANT EXECUTE ON FUNCTION bulk.refresh_statistics(text) TO commerce_worker;
  GRANT EXECUTE ON FUNCTION operator.dead_letters() TO commerce_engine, commerce_engine_across, commerce_actions;
  GRANT EXECUTE ON FUNCTION operator.settle_dead_letters(uuid[], boolean) TO commerce_actions;
  -- Those of search name their merchant, and use indexes that row security would not let them use.
  FOR v_table IN SELECT p.oid::regprocedure AS name
  FROM pg_proc p
  WHERE p.pronamespace = 'search'::regnamespace AND p.prosecdef LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', v_table.name);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO commerce_engine, commerce_engine_across', v_table.name);
  END LOOP;
  PERFORM platform.grant_credentials();
  PERFORM platform.grant_runtime_rights();
  EXECUTE format('COMMENT ON SCHEMA platform IS %L', v_rights);
END;
$$;
