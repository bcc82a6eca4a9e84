DROP TRIGGER keep_stock_item ON catalog.product;
DROP TRIGGER keep_stock_item ON catalog.product_variant;
DROP SCHEMA inventory CASCADE;
