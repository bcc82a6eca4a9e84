DROP FUNCTION ordering.cancel_order(uuid, uuid, uuid, text, text[], text, text[]);
DROP FUNCTION ordering.refund_order(uuid, uuid, jsonb, boolean, bigint, text, boolean, text[], jsonb);
DROP FUNCTION ordering.move_refunded_units(uuid, uuid, ordering.refund_part[], text);
DROP FUNCTION ordering.insert_refund(uuid, uuid, ordering.refund_part[], bigint, bigint, text);
DROP FUNCTION ordering.unrefunded_shipping(ordering.order, uuid);
DROP FUNCTION ordering.restock(uuid, uuid, uuid[], integer[], uuid, text);
DROP FUNCTION ordering.stock_units(uuid, uuid[], integer[]);
DROP TYPE ordering.stock_units;
DROP FUNCTION ordering.refund_refusals(uuid, uuid, jsonb, boolean);
DROP FUNCTION ordering.refund_parts(uuid, uuid, jsonb, boolean);
DROP TYPE ordering.refund_part;
DROP FUNCTION ordering.give_up_unsent(uuid, uuid);
DROP FUNCTION payment.settle_refund(uuid, uuid, text, text, text, jsonb, jsonb, jsonb);
DROP FUNCTION payment.note_failed_refunds(uuid, uuid);
DROP FUNCTION payment.retry_refund(uuid, uuid, boolean);
DROP FUNCTION payment.begin_refund(uuid, uuid, bigint, text, text[]);
DROP FUNCTION payment.insert_refund(uuid, uuid, bigint, bigint, text);
DROP FUNCTION payment.begin_capture(uuid, uuid, bigint, text[]);
DROP FUNCTION payment.lock_payment(uuid, uuid);
DROP TRIGGER record_refund ON payment.refund;
DROP FUNCTION payment.record_refund();
DROP TRIGGER record_payment_change ON payment.payment;
DROP TRIGGER record_payment ON payment.payment;
DROP FUNCTION payment.record_payment();
DROP TABLE payment.refund_line;
ALTER TABLE payment.refund
  DROP COLUMN processor,
  DROP COLUMN attempt,
  DROP COLUMN failure_reason,
  DROP COLUMN shipping_amount;
DROP VIEW crm.customer_total;
DROP VIEW crm.customer_spending;
DROP TRIGGER note_uncaptured ON payment.payment;
DROP FUNCTION ordering.note_uncaptured();
ALTER TABLE ordering.order_item
  DROP COLUMN uncaptured_tax,
  DROP COLUMN uncaptured;
ALTER TABLE ordering.order
  DROP COLUMN uncaptured_shipping,
  DROP COLUMN uncaptured;
DROP TRIGGER fill_amounts ON payment.payment;
DROP FUNCTION payment.fill_amounts();
ALTER TABLE payment.payment
  DROP CONSTRAINT payment_refunds_within_captured,
  DROP COLUMN attention,
  DROP COLUMN refund_requested_amount,
  DROP COLUMN captured_amount,
  DROP COLUMN capture_requested,
  DROP COLUMN capture_before,
  DROP COLUMN authorized_at,
  DROP COLUMN capture_method;
