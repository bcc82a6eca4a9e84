DROP FUNCTION inventory.stock_items_back(integer);
DROP FUNCTION inventory.claim_stock_alerts(uuid, uuid, integer);
DROP FUNCTION inventory.cancel_stock_alert(uuid, uuid, uuid, text[], text);
DROP FUNCTION inventory.subscribe_stock_alert(uuid, text, citext, uuid, integer);
DROP FUNCTION inventory.is_available(uuid, uuid);
DROP TABLE inventory.stock_alert;
