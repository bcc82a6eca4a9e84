CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON bulk.import
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON bulk.export
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION bulk.withdraw_export()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.status := 'CANCELLED';
  NEW.url := NULL;
  NEW.claim := NULL;
  NEW.finished_at := coalesce(NEW.finished_at, now());
  NEW.expires_at := now();
  RETURN NEW;
END;
$$;

-- The customer's record is gone, so the file goes with the next purge, and no worker writes it any more.
CREATE TRIGGER withdraw_export
BEFORE UPDATE OF customer_id ON bulk.export
FOR EACH ROW
WHEN (OLD.customer_id IS NOT NULL AND NEW.customer_id IS NULL)
EXECUTE FUNCTION bulk.withdraw_export();
