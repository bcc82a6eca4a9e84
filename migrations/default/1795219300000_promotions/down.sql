DROP INDEX ordering.order_promotion;
DROP TRIGGER count_usage ON ordering.order;
DROP FUNCTION promotion.count_usage();
DROP FUNCTION promotion.discount_on(promotion.promotion, uuid[], bigint[], bigint);
DROP TYPE promotion.discount;
DROP FUNCTION promotion.refusal(text, text, promotion.promotion);
DROP FUNCTION promotion.coupon_refusal(promotion.promotion, uuid, text);
DROP FUNCTION platform.allocate(numeric, bigint[]);
DROP TRIGGER check_conditions ON promotion.promotion;
DROP FUNCTION promotion.check_conditions();
DROP INDEX promotion.promotion_created_at;
ALTER TABLE promotion.promotion
  DROP CONSTRAINT promotion_customer_ids_some,
  DROP CONSTRAINT promotion_category_ids_some,
  DROP CONSTRAINT promotion_product_ids_some,
  DROP COLUMN campaign_id;
DROP TABLE promotion.campaign;
DELETE FROM merchant.permission WHERE name = 'promotions:write';
