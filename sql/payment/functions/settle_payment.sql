-- answers: text | null
CREATE FUNCTION payment.settle_payment(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_from text[],
  p_to text,
  p_answer jsonb,
  p_moves jsonb
)
RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
BEGIN
  -- The order first: see the lock order in stock_rules.
  v_payment := payment.lock_payment(p_merchant_id, p_payment_id);
  IF v_payment.id IS NULL THEN
    RAISE EXCEPTION 'payment % does not exist', p_payment_id;
  END IF;
  IF NOT v_payment.status = ANY (p_from) THEN
    RETURN v_payment.status;
  END IF;
  -- Nothing was taken when the processor was asked. Since then, it may have been.
  IF (p_answer ->> 'untaken')::boolean AND v_payment.approved_at IS NOT NULL THEN
    RETURN v_payment.status;
  END IF;
  UPDATE payment.payment p
  SET
    status = p_to,
    processor_payment_intent_id = coalesce(p_answer ->> 'intentId', p.processor_payment_intent_id),
    -- A method that is saved gets an id of its own.
    processor_payment_method_id = coalesce(p_answer ->> 'methodId', p.processor_payment_method_id),
    last4 = coalesce(p_answer ->> 'last4', p.last4),
    brand = coalesce(p_answer ->> 'brand', p.brand),
    expiry_month = coalesce((p_answer ->> 'expiryMonth')::integer, p.expiry_month),
    expiry_year = coalesce((p_answer ->> 'expiryYear')::integer, p.expiry_year),
    failure_reason = coalesce(p_answer ->> 'failureReason', p.failure_reason),
    failure_code = coalesce(p_answer ->> 'failureCode', p.failure_code),
    decline_code = coalesce(p_answer ->> 'declineCode', p.decline_code),
    authorized_at = CASE
      WHEN p_answer ? 'captureBefore' THEN coalesce(p.authorized_at, now())
      ELSE p.authorized_at
    END,
    approved_at = CASE
      WHEN (p_answer ->> 'approved')::boolean THEN coalesce(p.approved_at, now())
      ELSE p.approved_at
    END,
    capture_before = coalesce((p_answer ->> 'captureBefore')::timestamptz, p.capture_before),
    capturable_amount = CASE
      WHEN p_to = 'PROCESSING'
      AND NOT p_answer ? 'captureBefore' THEN p.capturable_amount
      ELSE coalesce((p_answer ->> 'capturableAmount')::bigint, 0)
    END,
    captured_amount = CASE
      WHEN p_to = 'SUCCEEDED' THEN coalesce((p_answer ->> 'capturedAmount')::bigint, p.amount)
      ELSE p.captured_amount
    END,
    attention = NULL
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  IF v_payment.appointment_id IS NOT NULL THEN
    IF p_to = 'SUCCEEDED' THEN
      PERFORM
        booking.confirm_if_prepaid(p_merchant_id, v_payment.appointment_id, p_moves -> 'confirmAppointment');
    ELSEIF p_to = 'CANCELLED' AND v_payment.awaited THEN
      PERFORM booking.end_awaiting(p_merchant_id, v_payment.appointment_id);
    END IF;
  ELSEIF p_to = 'SUCCEEDED' AND payment.pays_order(p_merchant_id, v_payment.order_id) THEN
    PERFORM ordering.confirm_order(p_merchant_id, v_payment.order_id, p_moves);
  ELSEIF
    p_to = 'CANCELLED'
    AND v_payment.awaited
    AND (payment.open_payment(p_merchant_id, v_payment.order_id)).awaited IS NOT TRUE
  THEN
    PERFORM ordering.end_awaiting(p_merchant_id, v_payment.order_id);
  END IF;
  RETURN p_to;
END;
$$;
