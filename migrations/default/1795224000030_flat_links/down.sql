DROP TRIGGER date_links ON ordering.order;
DROP FUNCTION ordering.date_links();
DROP TRIGGER unlink_products ON ordering.order_item;
DROP FUNCTION ordering.unlink_products();
DROP TRIGGER link_products ON ordering.order_item;
DROP FUNCTION ordering.link_products();
DROP TABLE ordering.product_order;
CREATE VIEW ordering.product_order AS
SELECT DISTINCT i.merchant_id, i.product_id, i.order_id
FROM ordering.order_item i;
DROP TRIGGER date_links ON catalog.product;
DROP FUNCTION catalog.date_links();
DROP TRIGGER date_link ON catalog.product_category;
DROP FUNCTION catalog.date_link();
DROP INDEX catalog.product_category_created_at;
CREATE INDEX product_category_category ON catalog.product_category (merchant_id, category_id, product_id);
ALTER TABLE catalog.product_category DROP COLUMN created_at;
