-- Changes a payment's refunds and disputes to the state that the processor reports. That includes refunds that were
-- made at the processor, and those that failed later.
--
-- answers: void
CREATE FUNCTION payment.follow_processor(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_refunds jsonb,
  p_disputes jsonb,
  p_part jsonb,
  p_full jsonb,
  p_moves jsonb
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment := payment.lock_payment(p_merchant_id, p_payment_id);
  v_made jsonb;
  v_refund payment.refund;
  v_to text;
BEGIN
  UPDATE payment.payment p
  SET attention = NULL
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id AND p.attention = 'MISMATCH';
  FOR v_made IN SELECT x
  FROM jsonb_array_elements(p_refunds) WITH ORDINALITY AS x (x, position)
  ORDER BY x.position LOOP
    v_to := v_made ->> 'status';
    -- Ours by its id there, or by the key that our request had; or one of ours that failed and was then made there.
    SELECT *
    INTO v_refund
    FROM payment.refund r
    WHERE
      r.merchant_id = p_merchant_id
      AND r.payment_id = p_payment_id
      AND (
        r.processor_refund_id = v_made ->> 'refundId'
        OR (
          r.processor_refund_id IS NULL
          AND v_made ->> 'request' = r.id::text || CASE
            WHEN r.attempt > 1 THEN ':' || r.attempt
            ELSE ''
          END
        )
        OR (
          v_made ->> 'request' IS NULL
          AND v_to <> 'FAILED'
          AND r.status = 'FAILED'
          AND r.amount = (v_made ->> 'amount')::bigint
        )
      )
    ORDER BY (r.processor_refund_id = v_made ->> 'refundId') DESC NULLS LAST, r.created_at
    LIMIT 1;
    IF v_refund.id IS NULL THEN
      -- One that failed there gave nothing back, and an attempt of ours before the present one is over.
      CONTINUE WHEN v_to = 'FAILED' OR v_made ->> 'request' IS NOT NULL;
      IF v_payment.captured_amount - v_payment.refund_requested_amount < (v_made ->> 'amount')::bigint THEN
        UPDATE payment.payment p
        SET attention = 'MISMATCH'
        WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
        CONTINUE;
      END IF;
      v_refund.id := payment.insert_refund(
        p_merchant_id,
        p_payment_id,
        (v_made ->> 'amount')::bigint,
        0,
        'Refunded at the payment processor'
      );
    ELSEIF v_refund.status = 'SUCCEEDED' AND v_to = 'FAILED' THEN
      PERFORM payment.take_back_refund(p_merchant_id, v_refund.id, v_made ->> 'reason');
    ELSEIF
      v_refund.status = 'FAILED'
      AND v_to <> 'FAILED'
      AND v_refund.processor_refund_id IS DISTINCT FROM v_made ->> 'refundId'
    THEN
      UPDATE payment.refund r
      SET
        status = 'PENDING',
        failure_reason = NULL,
        processor_refund_id = v_made ->> 'refundId'
      WHERE r.merchant_id = p_merchant_id AND r.id = v_refund.id;
    END IF;
    PERFORM
      payment.settle_refund(
        p_merchant_id,
        v_refund.id,
        v_to,
        v_made ->> 'refundId',
        CASE
          WHEN v_to = 'FAILED' THEN v_made ->> 'reason'
        END,
        p_part,
        p_full,
        p_moves
      );
    v_payment := payment.lock_payment(p_merchant_id, p_payment_id);
  END LOOP;
  PERFORM payment.follow_disputes(p_merchant_id, p_payment_id, p_disputes);
  PERFORM payment.note_attention(p_merchant_id, p_payment_id);
END;
$$;
