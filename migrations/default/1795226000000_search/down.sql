DROP TRIGGER follow_search ON catalog.product;
DROP TRIGGER follow_search ON catalog.category;
DROP TRIGGER note_language ON merchant.settings;
DROP SCHEMA search CASCADE;
DELETE FROM merchant.permission WHERE name IN ('articles:read', 'articles:write');
DROP EXTENSION fuzzystrmatch;
