CREATE FUNCTION metadata.keep()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_table text := TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME;
BEGIN
  NEW.metadata := metadata.kept(
    NEW.merchant_id,
    v_table,
    FALSE,
    CASE TG_OP
      WHEN 'UPDATE' THEN OLD.metadata
      ELSE '{}'
    END,
    NEW.metadata
  );
  NEW.private_metadata := metadata.kept(
    NEW.merchant_id,
    v_table,
    TRUE,
    CASE TG_OP
      WHEN 'UPDATE' THEN OLD.private_metadata
      ELSE '{}'
    END,
    NEW.private_metadata
  );
  RETURN NEW;
END;
$$;

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON metadata.definition
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION metadata.check_number()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
    pg_advisory_xact_lock(hashtextextended(format('metadata.definition %s %s', NEW.merchant_id, NEW.owner_type), 0));
  -- Each write of metadata looks at all of them.
  IF
    200 <= (
      SELECT count(*)
      FROM metadata.definition d
      WHERE d.merchant_id = NEW.merchant_id AND d.owner_type = NEW.owner_type
    )
  THEN
    PERFORM platform.violate('metadata.definition', 'definition_number');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER check_number
BEFORE INSERT ON metadata.definition
FOR EACH ROW
EXECUTE FUNCTION metadata.check_number();
