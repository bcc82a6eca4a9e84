DROP TRIGGER name_promotion ON ordering.order;
DROP FUNCTION promotion.name_on_order();
ALTER TABLE ordering.order DROP COLUMN promotion_name;
DROP INDEX ordering.order_promotion;
DROP TRIGGER count_usage ON ordering.order;
DROP FUNCTION promotion.count_usage();
DROP FUNCTION promotion.choose(promotion.purchase, promotion.promotion, text, promotion.promotion[]);
DROP TYPE promotion.choice;
DROP FUNCTION promotion.lock_usable(promotion.purchase, citext, uuid);
DROP FUNCTION promotion.automatic(uuid);
DROP FUNCTION promotion.discount_on(promotion.promotion, promotion.purchase);
DROP TYPE promotion.discount;
DROP FUNCTION promotion.refusal(text, text, promotion.promotion);
DROP FUNCTION promotion.use_refusal(promotion.promotion, promotion.purchase);
DROP TYPE promotion.purchase;
DROP FUNCTION platform.allocate(numeric, bigint[]);
DROP TRIGGER check_automatic ON promotion.promotion;
DROP FUNCTION promotion.check_automatic();
DROP INDEX promotion.promotion_automatic;
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
