DROP TRIGGER follow_search ON catalog.product;
DROP TRIGGER follow_search ON catalog.product_variant;
DROP TRIGGER follow_search ON catalog.category;
DROP SCHEMA search CASCADE;
DELETE FROM merchant.permission WHERE name IN ('articles:read', 'articles:write');
DROP EXTENSION fuzzystrmatch;
