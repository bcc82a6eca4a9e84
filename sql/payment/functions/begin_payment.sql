-- answers:
--   begun {paymentId: uuid}
--   | unknown_order {}
--   | order_refused {status: ordering.order.status}
--   | nothing_to_pay {status: ordering.order.status}
--   | amount_mismatch {total: bigint}
--   | balance_too_low {covers: bigint}
--   | method_not_accepted {}
--   | return_url_missing {}
--   | payment_open {paymentId: uuid, status: payment.payment.status, authorized: boolean}
-- nullable: p_customer_id, p_amount, p_account_id, p_payment_method_id, p_return_url
CREATE FUNCTION payment.begin_payment(
  p_merchant_id uuid,
  p_order_id uuid,
  p_customer_id uuid,
  p_method text,
  p_amount bigint,
  p_processor text,
  p_account_id uuid,
  p_payment_method_id text,
  p_return_url text,
  p_capture_method text,
  p_awaited boolean,
  p_partial boolean,
  p_order_from text[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_open payment.payment;
  -- The amount that no other payment has taken or may take.
  v_left bigint;
  v_amount bigint;
  -- What the balance covers that it is paid with; NULL: it is paid with none.
  v_covered bigint;
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
  IF NOT payment.is_accepted(v_order, p_method, p_customer_id IS NOT NULL) THEN
    RETURN jsonb_build_object('outcome', 'method_not_accepted');
  END IF;
  -- The customer is sent to PayPal, and has to come back.
  IF p_method = 'PAYPAL' AND p_return_url IS NULL THEN
    RETURN jsonb_build_object('outcome', 'return_url_missing');
  END IF;
  -- Locked against the merchant, who may be disabling it.
  IF p_account_id IS NOT NULL THEN
    PERFORM
    FROM payment.account a
    WHERE a.merchant_id = p_merchant_id AND a.id = p_account_id AND a.status = 'ACTIVE'
    FOR SHARE;
    IF NOT FOUND THEN
      RETURN jsonb_build_object('outcome', 'method_not_accepted');
    END IF;
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  -- A whole payment takes the place of those that are open; a part comes beside them.
  v_left := v_order.total - payment.promised(p_merchant_id, p_order_id, NOT p_partial);
  v_covered := CASE
    WHEN p_method = 'LOYALTY_POINTS' THEN crm.hold_points_worth(p_merchant_id, v_order.customer_id, v_order.currency)
  END;
  v_amount := coalesce(
    p_amount,
    CASE
      WHEN p_partial THEN least(v_left, v_covered)
      ELSE v_left
    END
  );
  -- Errors of the request are returned before an open payment is given up.
  IF v_amount > v_covered OR v_covered = 0 THEN
    RETURN jsonb_build_object('outcome', 'balance_too_low', 'covers', v_covered);
  END IF;
  IF v_open.awaited AND NOT p_partial AND p_amount <> v_left THEN
    RETURN jsonb_build_object('outcome', 'amount_mismatch', 'total', v_left);
  END IF;
  IF v_open.id IS NOT NULL AND (NOT p_partial OR v_left = 0) THEN
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
  IF v_amount = 0 OR v_amount > v_left OR v_amount < v_left AND NOT p_partial THEN
    RETURN jsonb_build_object('outcome', 'amount_mismatch', 'total', v_left);
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
      account_id,
      processor_payment_method_id,
      return_url,
      capture_method,
      awaited,
      instructions,
      reference
    )
  VALUES
    (
      p_merchant_id,
      v_payment_id,
      p_order_id,
      v_amount,
      v_order.currency,
      p_method,
      p_processor,
      p_account_id,
      p_payment_method_id,
      p_return_url,
      p_capture_method,
      p_awaited,
      CASE
        WHEN p_awaited THEN (
          SELECT o.instructions
          FROM payment.payment_option o
          WHERE o.merchant_id = p_merchant_id AND o.method = p_method
        )
      END,
      CASE
        WHEN p_awaited THEN payment.creditor_reference(platform.place(), v_order.order_number)
      END
    );
  IF p_awaited THEN
    PERFORM ordering.await_payment(p_merchant_id, p_order_id, p_method);
  END IF;
  RETURN jsonb_build_object('outcome', 'begun', 'paymentId', v_payment_id);
END;
$$;
