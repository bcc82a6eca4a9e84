DROP TRIGGER keep_stock_item ON catalog.product;
DROP TRIGGER keep_stock_item ON catalog.product_variant;
DROP SCHEMA inventory CASCADE;
ALTER TABLE merchant.settings DROP COLUMN low_stock_threshold;
