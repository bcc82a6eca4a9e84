DO $$
DECLARE
  v_trigger record;
BEGIN
  FOR v_trigger IN
    SELECT t.tgname, t.tgrelid::regclass AS name FROM pg_trigger t WHERE t.tgfoid = 'platform.keep_key'::regproc
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', v_trigger.tgname, v_trigger.name);
  END LOOP;
END
$$;
-- With the triggers of other tables that call its functions.
DROP SCHEMA audit CASCADE;
DELETE FROM merchant.permission WHERE name = 'audit:read';
