CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON cart.cart
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION cart.take_up_again()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.abandoned_at := NULL;
  RETURN NEW;
END;
$$;

CREATE TRIGGER take_up_again
BEFORE UPDATE OF expires_at, checked_out_at ON cart.cart
FOR EACH ROW
WHEN (OLD.abandoned_at IS NOT NULL)
EXECUTE FUNCTION cart.take_up_again();
