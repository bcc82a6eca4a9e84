DROP FUNCTION payment.settle_refund(uuid, uuid, text, text, text[], text);
DROP FUNCTION payment.begin_refund(uuid, uuid, text, text[]);
DROP FUNCTION payment.settle_payment(uuid, uuid, text[], text, jsonb, text[], text);
DROP FUNCTION payment.begin_payment(uuid, uuid, uuid, text, bigint, text, text, text, text[]);
DROP FUNCTION payment.open_payment(uuid, uuid);
