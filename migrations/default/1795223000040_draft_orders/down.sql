DROP FUNCTION ordering.purge_expired_drafts(integer);
DROP FUNCTION ordering.complete_draft(uuid, uuid, jsonb);
DROP FUNCTION ordering.save_draft(uuid, uuid, jsonb);
DROP VIEW ordering.draft_order_total;
DROP FUNCTION ordering.quote_draft(ordering.draft_order);
DROP FUNCTION ordering.draft_lines(uuid, uuid);
DROP TABLE ordering.draft_order_item;
DROP TABLE ordering.draft_order;
