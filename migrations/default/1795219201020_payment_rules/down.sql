DROP FUNCTION payment.settle_payment(uuid, uuid, text[], text, jsonb, jsonb);
DROP FUNCTION payment.begin_payment(uuid, uuid, uuid, text, bigint, text, text, text, text, boolean, text[]);
DROP FUNCTION payment.open_payment(uuid, uuid);
