DROP INDEX catalog.review_status_created_at;
DROP INDEX catalog.review_created_at;
DROP TRIGGER verify_purchase ON catalog.review;
DROP FUNCTION catalog.verify_purchase();
DROP FUNCTION catalog.has_bought(uuid, uuid, uuid);
ALTER TABLE catalog.review DROP COLUMN verified_purchase;
