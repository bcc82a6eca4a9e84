-- answers: integer
CREATE FUNCTION ordering.lapse_unpaid_orders(p_merchant_id uuid, p_limit integer, p_from text[], p_to text)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_order_ids uuid[];
  v_reservation_ids uuid[];
BEGIN
  v_order_ids := ARRAY(
    SELECT o.id
    FROM
      inventory.reservation r
      JOIN ordering.order o ON o.merchant_id = r.merchant_id AND o.id = r.order_id
    WHERE
      r.merchant_id = p_merchant_id
      AND r.status = 'ACTIVE'
      AND r.expires_at <= now()
      AND o.status = ANY (p_from)
      AND NOT ordering.payment_is_under_way(o.merchant_id, o.id)
    ORDER BY r.expires_at
    LIMIT p_limit
    FOR UPDATE OF o SKIP LOCKED
  );
  -- Looked at once more now that the orders are locked: a payment may have begun or been settled meanwhile.
  v_order_ids := ARRAY(
    SELECT o.id
    FROM ordering.order o
    WHERE
      o.merchant_id = p_merchant_id
      AND o.id = ANY (v_order_ids)
      AND o.status = ANY (p_from)
      AND NOT ordering.payment_is_under_way(o.merchant_id, o.id)
      AND ordering.payment_window_is_over(o.merchant_id, o.id)
  );
  -- Their coupons' uses go back with the orders' status (promotion.count_usage); several promotions are locked in one
  -- order, and before reservations and levels, as placing an order does.
  PERFORM
  FROM promotion.promotion p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id IN (
      SELECT o.promotion_id FROM ordering.order o WHERE o.merchant_id = p_merchant_id AND o.id = ANY (v_order_ids)
    )
  ORDER BY p.id
  FOR NO KEY UPDATE;
  UPDATE payment.payment p
  SET status = 'CANCELLED'
  WHERE p.merchant_id = p_merchant_id AND p.order_id = ANY (v_order_ids) AND p.awaited AND p.status = 'PENDING';
  -- Parts that were paid go back; the reconciler asks the processors for that.
  PERFORM
    payment.insert_refund(
      p.merchant_id,
      p.id,
      p.captured_amount - p.refund_requested_amount,
      0,
      'The payment window has ended'
    )
  FROM payment.payment p
  WHERE
    p.merchant_id = p_merchant_id
    AND p.order_id = ANY (v_order_ids)
    AND p.status IN ('SUCCEEDED', 'PARTIALLY_REFUNDED')
    AND p.captured_amount > p.refund_requested_amount;
  v_reservation_ids := ARRAY(
    SELECT r.id
    FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.order_id = ANY (v_order_ids) AND r.status = 'ACTIVE'
    FOR UPDATE
  );
  PERFORM inventory.give_back(p_merchant_id, v_reservation_ids, 'EXPIRED');
  UPDATE ordering.order o
  SET
    status = p_to,
    cancelled_at = now(),
    cancel_reason = 'The payment window has ended',
    lapsed = TRUE
  WHERE o.merchant_id = p_merchant_id AND o.id = ANY (v_order_ids);
  RETURN cardinality(v_order_ids);
END;
$$;
