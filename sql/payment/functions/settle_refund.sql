-- answers: payment.refund.status
-- nullable: p_processor_refund_id, p_failure_reason
CREATE FUNCTION payment.settle_refund(
  p_merchant_id uuid,
  p_refund_id uuid,
  p_to text,
  p_processor_refund_id text,
  p_failure_reason text,
  p_part jsonb,
  p_full jsonb,
  p_moves jsonb
)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
  v_refund payment.refund;
  v_move jsonb;
BEGIN
  v_payment := payment.lock_payment(
    p_merchant_id,
    (SELECT r.payment_id FROM payment.refund r WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id)
  );
  SELECT *
  INTO v_refund
  FROM payment.refund r
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'refund % does not exist', p_refund_id;
  END IF;
  IF v_refund.status <> 'PENDING' THEN
    RETURN v_refund.status;
  END IF;
  UPDATE payment.refund r
  SET
    status = p_to,
    processor_refund_id = coalesce(p_processor_refund_id, r.processor_refund_id),
    failure_reason = p_failure_reason,
    unanswered_calls = 0
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id;
  PERFORM payment.note_attention(p_merchant_id, v_payment.id);
  IF p_to = 'SUCCEEDED' THEN
    v_move := CASE
      WHEN v_payment.refunded_amount + v_refund.amount = v_payment.captured_amount THEN p_full
      ELSE p_part
    END;
    UPDATE payment.payment p
    SET
      status = v_move ->> 'to',
      refunded_amount = p.refunded_amount + v_refund.amount
    WHERE p.merchant_id = p_merchant_id AND p.id = v_payment.id AND v_move -> 'from' ? p.status;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'the payment of refund % is in no state to be refunded', p_refund_id;
    END IF;
    IF v_payment.order_id IS NULL THEN
      RETURN p_to;
    END IF;
    PERFORM
      ordering.follow_refund(
        p_merchant_id,
        v_payment.order_id,
        p_refund_id,
        NOT EXISTS (
          SELECT
          FROM payment.payment p
          WHERE
            p.merchant_id = p_merchant_id
            AND p.order_id = v_payment.order_id
            AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
        ),
        p_moves
      );
  END IF;
  RETURN p_to;
END;
$$;
