DROP TRIGGER watch_stock ON inventory.stock_level;
DROP SCHEMA notification CASCADE;
DELETE FROM merchant.permission WHERE name IN ('notifications:read', 'notifications:write');
