-- answers:
--   begun {orderId: uuid, refundId: uuid, refundIds: uuid[], returnId: uuid}
--   | unknown_return {}
--   | return_refused {status: ordering.order_return.status}
--   | unknown_order {}
--   | order_refused {status: ordering.order.status, reason?: 'nothing_paid'}
--   | invalid {refusals: ordering.refusal[]}
-- nullable: p_amount
CREATE FUNCTION ordering.refund_return(
  p_merchant_id uuid,
  p_return_id uuid,
  p_shipping boolean,
  p_amount bigint,
  p_move jsonb,
  p_payment_from text[],
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return := ordering.lock_return(p_merchant_id, p_return_id, NULL);
  v_outcome jsonb;
BEGIN
  IF v_return.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_return');
  END IF;
  IF NOT p_move -> 'from' ? v_return.status OR v_return.refund_id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'return_refused', 'status', v_return.status);
  END IF;
  v_outcome := ordering.refund_order(
    p_merchant_id,
    v_return.order_id,
    (
      SELECT jsonb_agg(jsonb_build_object('id', l.order_item_id, 'quantity', l.quantity) ORDER BY l.position)
      FROM ordering.return_line l
      WHERE l.merchant_id = p_merchant_id AND l.return_id = p_return_id
    ),
    p_shipping,
    p_amount,
    'Return ' || v_return.return_number,
    TRUE,
    p_payment_from,
    p_moves
  );
  IF v_outcome ->> 'outcome' = 'begun' THEN
    UPDATE ordering.order_return r
    SET refund_id = (v_outcome ->> 'refundId')::uuid
    WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id;
    v_outcome := v_outcome || jsonb_build_object('returnId', p_return_id);
  END IF;
  RETURN v_outcome;
END;
$$;
