CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.service
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.staff_member
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON booking.appointment
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();
