CREATE FUNCTION operator.notify_access_changed()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_notify('access_changed', 'operator');
  RETURN NULL;
END;
$$;

CREATE TRIGGER access_changed
AFTER INSERT OR DELETE OR UPDATE OF hash, revoked_at ON operator.key
FOR EACH STATEMENT
EXECUTE FUNCTION operator.notify_access_changed();
