CREATE FUNCTION payment.open_payment(p_merchant_id uuid, p_order_id uuid)
RETURNS payment.payment
LANGUAGE sql
STABLE
AS $$
  SELECT p.*
  FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status IN ('PENDING', 'PROCESSING');
$$;

CREATE FUNCTION payment.lock_payment(p_merchant_id uuid, p_payment_id uuid)
RETURNS payment.payment
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
BEGIN
  PERFORM
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = (SELECT p.order_id FROM payment.payment p WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id)
  FOR UPDATE;
  SELECT *
  INTO v_payment
  FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id
  FOR UPDATE;
  RETURN v_payment;
END;
$$;

-- answers:
--   begun {paymentId: uuid}
--   | unknown_payment {}
--   | payment_refused {status: payment.payment.status}
--   | more_than_authorized {amount: bigint}
-- nullable: p_amount
CREATE FUNCTION payment.begin_capture(p_merchant_id uuid, p_payment_id uuid, p_amount bigint, p_from text[])
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment := payment.lock_payment(p_merchant_id, p_payment_id);
BEGIN
  IF v_payment.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_payment');
  END IF;
  IF
    NOT v_payment.status = ANY (p_from)
    OR v_payment.authorized_at IS NULL
    OR v_payment.capture_before <= now()
    OR v_payment.capture_requested <> coalesce(p_amount, v_payment.amount)
  THEN
    RETURN jsonb_build_object('outcome', 'payment_refused', 'status', v_payment.status);
  END IF;
  IF p_amount > v_payment.amount THEN
    RETURN jsonb_build_object('outcome', 'more_than_authorized', 'amount', v_payment.amount);
  END IF;
  UPDATE payment.payment p
  SET capture_requested = coalesce(p_amount, p.amount)
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  RETURN jsonb_build_object('outcome', 'begun', 'paymentId', p_payment_id);
END;
$$;

CREATE FUNCTION payment.insert_refund(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_amount bigint,
  p_shipping_amount bigint,
  p_reason text
)
RETURNS uuid
LANGUAGE plpgsql
AS $$
DECLARE
  v_refund_id uuid := platform.uuid_v7();
BEGIN
  UPDATE payment.payment p
  SET refund_requested_amount = p.refund_requested_amount + p_amount
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  INSERT INTO payment.refund (merchant_id, id, payment_id, amount, shipping_amount, reason)
  VALUES (p_merchant_id, v_refund_id, p_payment_id, p_amount, p_shipping_amount, p_reason);
  RETURN v_refund_id;
END;
$$;

-- answers:
--   begun {refundId: uuid}
--   | unknown_payment {}
--   | payment_refused {status: payment.payment.status}
--   | more_than_left {left: bigint}
-- nullable: p_amount
CREATE FUNCTION payment.begin_refund(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_amount bigint,
  p_reason text,
  p_from text[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment := payment.lock_payment(p_merchant_id, p_payment_id);
  v_left bigint := v_payment.captured_amount - v_payment.refund_requested_amount;
BEGIN
  IF v_payment.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_payment');
  END IF;
  IF NOT v_payment.status = ANY (p_from) OR v_left = 0 THEN
    RETURN jsonb_build_object('outcome', 'payment_refused', 'status', v_payment.status);
  END IF;
  IF p_amount > v_left THEN
    RETURN jsonb_build_object('outcome', 'more_than_left', 'left', v_left);
  END IF;
  RETURN jsonb_build_object(
    'outcome',
    'begun',
    'refundId',
    payment.insert_refund(p_merchant_id, p_payment_id, coalesce(p_amount, v_left), 0, p_reason)
  );
END;
$$;

-- answers: begun {refundId: uuid} | unknown_refund {} | refund_refused {status: payment.refund.status}
CREATE FUNCTION payment.retry_refund(p_merchant_id uuid, p_refund_id uuid, p_manually boolean)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refund payment.refund;
BEGIN
  PERFORM
    payment.lock_payment(
      p_merchant_id,
      (SELECT r.payment_id FROM payment.refund r WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id)
    );
  SELECT *
  INTO v_refund
  FROM payment.refund r
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_refund');
  END IF;
  IF v_refund.status <> 'FAILED' THEN
    RETURN jsonb_build_object('outcome', 'refund_refused', 'status', v_refund.status);
  END IF;
  UPDATE payment.refund r
  SET
    status = 'PENDING',
    attempt = r.attempt + 1,
    attempted_at = now(),
    failure_reason = NULL,
    processor_refund_id = NULL,
    processor = CASE
      WHEN p_manually THEN 'manual'
      ELSE r.processor
    END
  WHERE r.merchant_id = p_merchant_id AND r.id = p_refund_id;
  PERFORM payment.note_failed_refunds(p_merchant_id, v_refund.payment_id);
  RETURN jsonb_build_object('outcome', 'begun', 'refundId', p_refund_id);
END;
$$;

CREATE FUNCTION payment.note_failed_refunds(p_merchant_id uuid, p_payment_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE payment.payment p
  SET attention = CASE
    WHEN EXISTS (
      SELECT FROM payment.refund r WHERE r.merchant_id = p.merchant_id AND r.payment_id = p.id AND r.status = 'FAILED'
    ) THEN 'REFUND_FAILED'
  END
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
$$;
