DROP FUNCTION notification.claim_pushes(integer, interval, integer);
DROP FUNCTION email.claim(integer, interval, integer);
DROP FUNCTION notification.claim_back_in_stock(uuid, uuid, integer);
DROP FUNCTION notification.low_stock_message(uuid, uuid);
DROP FUNCTION notification.reminder_message(uuid, uuid, timestamptz);
DROP FUNCTION notification.refund_message(uuid, uuid);
DROP FUNCTION notification.shipping_message(uuid, uuid);
DROP FUNCTION notification.order_message(uuid, uuid);
DROP FUNCTION notification.shop_facts(uuid);
