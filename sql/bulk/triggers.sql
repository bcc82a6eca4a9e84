CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON bulk.import
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();
