DROP SCHEMA email CASCADE;
DELETE FROM merchant.permission WHERE name IN ('email:read', 'email:write');
