-- The rules of payments. No transaction stays open while a processor is called, so a payment is made in two:
-- begin_payment records what is about to be asked, settle_payment what was answered. Between them the payment is
-- PENDING or PROCESSING, and the order can be neither paid again, modified, cancelled nor lapse.
-- Which states allow what is the state machine's word (actions/src/payment/SPEC.md): callers pass p_from.

CREATE FUNCTION payment.open_payment(p_merchant_id uuid, p_order_id uuid) RETURNS payment.payment
LANGUAGE sql STABLE
AS $$
  SELECT p.* FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status IN ('PENDING', 'PROCESSING')
$$;

-- p_customer_id: only this customer's orders exist. p_amount: what the caller believes to pay, NULL for the total.
-- p_capture_method: AUTOMATIC, or MANUAL to have the money reserved only, until payment.begin_capture.
-- p_awaited: the money comes outside of the platform, and isn't there yet; the order waits for it.
-- {outcome: 'begun', paymentId} | {outcome: 'unknown_order'} | {outcome: 'order_refused', status} |
-- {outcome: 'nothing_to_pay', status} | {outcome: 'method_not_accepted'} | {outcome: 'amount_mismatch', total} |
-- {outcome: 'payment_open', paymentId, status, authorized}
CREATE FUNCTION payment.begin_payment(
  p_merchant_id uuid,
  p_order_id uuid,
  p_customer_id uuid,
  p_method text,
  p_amount bigint,
  p_processor text,
  p_payment_method_id text,
  p_return_url text,
  p_capture_method text,
  p_awaited boolean,
  p_order_from text[]
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_open payment.payment;
  v_payment_id uuid := platform.uuid_v7();
BEGIN
  SELECT * INTO v_order FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
    AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF v_order.total = 0 THEN
    RETURN jsonb_build_object('outcome', 'nothing_to_pay', 'status', v_order.status);
  END IF;
  -- What shoppers may choose is the shop's to say.
  IF p_awaited AND p_customer_id IS NOT NULL AND NOT EXISTS (
    SELECT FROM merchant.settings s
    WHERE s.merchant_id = p_merchant_id
      AND CASE p_method WHEN 'BANK_TRANSFER' THEN s.accepts_bank_transfer WHEN 'CASH' THEN s.accepts_cash END
  ) THEN
    RETURN jsonb_build_object('outcome', 'method_not_accepted');
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  -- What is wrong with the request is said before the caller gives up a payment that is open.
  IF v_open.awaited AND p_amount <> v_order.total THEN
    RETURN jsonb_build_object('outcome', 'amount_mismatch', 'total', v_order.total);
  END IF;
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object(
      'outcome', 'payment_open', 'paymentId', v_open.id, 'status', v_open.status, 'authorized', v_open.authorized_at IS NOT NULL
    );
  END IF;
  -- The window is checked here too: an order that the job hasn't cancelled yet is over all the same.
  IF NOT v_order.status = ANY (p_order_from) OR ordering.payment_window_is_over(p_merchant_id, p_order_id) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF p_amount IS NOT NULL AND p_amount <> v_order.total THEN
    RETURN jsonb_build_object('outcome', 'amount_mismatch', 'total', v_order.total);
  END IF;
  INSERT INTO payment.payment
    (merchant_id, id, order_id, amount, currency, method, processor, processor_payment_method_id, return_url,
     capture_method, awaited)
  VALUES
    (p_merchant_id, v_payment_id, p_order_id, v_order.total, v_order.currency, p_method, p_processor,
     p_payment_method_id, p_return_url, p_capture_method, p_awaited);
  IF p_awaited THEN
    PERFORM ordering.await_payment(p_merchant_id, p_order_id, p_method);
  END IF;
  RETURN jsonb_build_object('outcome', 'begun', 'paymentId', v_payment_id);
END
$$;

-- Records a processor's answer. p_answer: {intentId?, last4?, brand?, expiryMonth?, expiryYear?, failureReason?,
-- failureCode?, declineCode?, captureBefore?, capturedAmount?}; what is absent stays as it is. A time to capture before
-- means that the money is reserved, and not yet taken. Success confirms the order, commits its stock and
-- counts its units, in the same transaction. p_moves: the order's transitions by event.
-- Returns the status that the payment now has: p_to, or, when it had left p_from before, the one it had.
CREATE FUNCTION payment.settle_payment(
  p_merchant_id uuid,
  p_payment_id uuid,
  p_from text[],
  p_to text,
  p_answer jsonb,
  p_moves jsonb
) RETURNS text
LANGUAGE plpgsql
AS $$
DECLARE
  v_payment payment.payment;
BEGIN
  -- The order first: see the lock order in stock_rules.
  PERFORM FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id
    AND o.id = (SELECT p.order_id FROM payment.payment p WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id)
  FOR UPDATE;
  SELECT * INTO v_payment FROM payment.payment p
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'payment % does not exist', p_payment_id;
  END IF;
  IF NOT v_payment.status = ANY (p_from) THEN
    RETURN v_payment.status;
  END IF;
  UPDATE payment.payment p
  SET
    status = p_to,
    processor_payment_intent_id = coalesce(p_answer ->> 'intentId', p.processor_payment_intent_id),
    last4 = coalesce(p_answer ->> 'last4', p.last4),
    brand = coalesce(p_answer ->> 'brand', p.brand),
    expiry_month = coalesce((p_answer ->> 'expiryMonth')::integer, p.expiry_month),
    expiry_year = coalesce((p_answer ->> 'expiryYear')::integer, p.expiry_year),
    failure_reason = coalesce(p_answer ->> 'failureReason', p.failure_reason),
    failure_code = coalesce(p_answer ->> 'failureCode', p.failure_code),
    decline_code = coalesce(p_answer ->> 'declineCode', p.decline_code),
    authorized_at = CASE WHEN p_answer ? 'captureBefore' THEN coalesce(p.authorized_at, now()) ELSE p.authorized_at END,
    capture_before = coalesce((p_answer ->> 'captureBefore')::timestamptz, p.capture_before),
    captured_amount = CASE
      WHEN p_to = 'SUCCEEDED' THEN coalesce((p_answer ->> 'capturedAmount')::bigint, p.amount)
      ELSE p.captured_amount
    END,
    attention = NULL
  WHERE p.merchant_id = p_merchant_id AND p.id = p_payment_id;
  IF p_to = 'SUCCEEDED' THEN
    PERFORM ordering.confirm_order(p_merchant_id, v_payment.order_id, p_moves);
  ELSIF p_to = 'CANCELLED' AND v_payment.awaited THEN
    PERFORM ordering.end_awaiting(p_merchant_id, v_payment.order_id);
  END IF;
  RETURN p_to;
END
$$;
