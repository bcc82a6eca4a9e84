DROP FUNCTION payment.settle_payment(uuid, uuid, text[], text, jsonb, text[], text);
DROP FUNCTION payment.begin_payment(uuid, uuid, uuid, text, bigint, text, text, text, text, text[]);
DROP FUNCTION payment.open_payment(uuid, uuid);
