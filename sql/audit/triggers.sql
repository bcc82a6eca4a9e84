CREATE FUNCTION audit.keep()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' AND merchant.deletion_is_due(OLD.merchant_id) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'entries of the audit log are neither changed nor deleted';
END;
$$;

CREATE TRIGGER keep
BEFORE UPDATE OR DELETE ON audit.entry
FOR EACH ROW
EXECUTE FUNCTION audit.keep();

CREATE TRIGGER keep_all
BEFORE TRUNCATE ON audit.entry
FOR EACH STATEMENT
EXECUTE FUNCTION audit.keep();

ALTER TABLE audit.entry ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_all;

CREATE TRIGGER keep_all
BEFORE TRUNCATE ON audit.entry_rest
FOR EACH STATEMENT
EXECUTE FUNCTION audit.keep();

ALTER TABLE audit.entry_rest ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_all;
