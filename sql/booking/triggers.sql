CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.service
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.staff_member
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.resource
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.appointment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

-- The terms of a row that comes without them, as one of an import does.
CREATE FUNCTION booking.fill_terms()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_service booking.service;
BEGIN
  SELECT * INTO v_service FROM booking.service s WHERE s.merchant_id = NEW.merchant_id AND s.id = NEW.service_id;
  NEW.price := coalesce(NEW.price, v_service.price, 0);
  NEW.currency := coalesce(NEW.currency, v_service.currency, 'USD');
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_terms
BEFORE INSERT ON booking.appointment
FOR EACH ROW
WHEN (NEW.price IS NULL OR NEW.currency IS NULL)
EXECUTE FUNCTION booking.fill_terms();
