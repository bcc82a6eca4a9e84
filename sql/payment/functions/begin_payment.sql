-- answers:
--   begun {paymentId: uuid}
--   | unknown_order {}
--   | order_refused {status: ordering.order.status}
--   | nothing_to_pay {status: ordering.order.status}
--   | amount_mismatch {total: bigint}
--   | method_not_accepted {}
--   | payment_open {paymentId: uuid, status: payment.payment.status, authorized: boolean}
-- nullable: p_customer_id, p_amount, p_payment_method_id, p_return_url
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
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_open payment.payment;
  v_payment_id uuid := platform.uuid_v7();
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF v_order.total = 0 THEN
    RETURN jsonb_build_object('outcome', 'nothing_to_pay', 'status', v_order.status);
  END IF;
  -- What shoppers may choose is the shop's to say.
  IF
    p_awaited
    AND p_customer_id IS NOT NULL
    AND NOT EXISTS (
      SELECT
      FROM merchant.settings s
      WHERE
        s.merchant_id = p_merchant_id
        AND CASE p_method
          WHEN 'BANK_TRANSFER' THEN s.accepts_bank_transfer
          WHEN 'CASH' THEN s.accepts_cash
        END
    )
  THEN
    RETURN jsonb_build_object('outcome', 'method_not_accepted');
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  -- What is wrong with the request is said before the caller gives up a payment that is open.
  IF v_open.awaited AND p_amount <> v_order.total THEN
    RETURN jsonb_build_object('outcome', 'amount_mismatch', 'total', v_order.total);
  END IF;
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object(
      'outcome',
      'payment_open',
      'paymentId',
      v_open.id,
      'status',
      v_open.status,
      'authorized',
      v_open.authorized_at IS NOT NULL
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
    (
      merchant_id,
      id,
      order_id,
      amount,
      currency,
      method,
      processor,
      processor_payment_method_id,
      return_url,
      capture_method,
      awaited
    )
  VALUES
    (
      p_merchant_id,
      v_payment_id,
      p_order_id,
      v_order.total,
      v_order.currency,
      p_method,
      p_processor,
      p_payment_method_id,
      p_return_url,
      p_capture_method,
      p_awaited
    );
  IF p_awaited THEN
    PERFORM ordering.await_payment(p_merchant_id, p_order_id, p_method);
  END IF;
  RETURN jsonb_build_object('outcome', 'begun', 'paymentId', v_payment_id);
END;
$$;
