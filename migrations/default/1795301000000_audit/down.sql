-- With the triggers of other tables that call its functions.
DROP SCHEMA audit CASCADE;
DELETE FROM merchant.permission WHERE name = 'audit:read';
