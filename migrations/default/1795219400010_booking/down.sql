DROP SCHEMA booking CASCADE;
ALTER TABLE merchant.settings DROP CONSTRAINT settings_timezone_check;
DROP FUNCTION platform.is_time_zone(text);
DELETE FROM merchant.permission WHERE name IN ('booking:read', 'booking:write');
