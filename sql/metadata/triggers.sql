CREATE FUNCTION metadata.keep()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_table text := TG_TABLE_SCHEMA || '.' || TG_TABLE_NAME;
BEGIN
  NEW.metadata := metadata.kept(
    v_table,
    'metadata',
    CASE TG_OP
      WHEN 'UPDATE' THEN OLD.metadata
      ELSE '{}'
    END,
    NEW.metadata
  );
  NEW.private_metadata := metadata.kept(
    v_table,
    'privateMetadata',
    CASE TG_OP
      WHEN 'UPDATE' THEN OLD.private_metadata
      ELSE '{}'
    END,
    NEW.private_metadata
  );
  RETURN NEW;
END;
$$;
