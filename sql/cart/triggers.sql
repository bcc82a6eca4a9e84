CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON cart.cart
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();
