-- answers:
--   begun {orderId: uuid, refundId: uuid, refundIds: uuid[]}
--   | unknown_order {}
--   | order_refused {status: ordering.order.status, reason?: 'nothing_paid'}
--   | invalid {refusals: ordering.refusal[]}
-- nullable: p_amount
CREATE FUNCTION ordering.refund_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_lines jsonb,
  p_shipping boolean,
  p_amount bigint,
  p_reason text,
  p_sent_only boolean,
  p_payment_from text[],
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_held boolean;
  v_parts ordering.refund_part[];
  v_shipping bigint := 0;
  v_worth bigint;
  v_left bigint;
  v_refund_ids uuid[];
  v_refusals jsonb;
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  v_refusals := ordering.refund_refusals(p_merchant_id, p_order_id, p_lines, p_sent_only);
  IF v_refusals @> '[{"reason": "unknown_item"}]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_held := EXISTS (
    SELECT
    FROM payment.payment p
    WHERE p.merchant_id = p_merchant_id AND p.order_id = p_order_id AND p.status = ANY (p_payment_from)
  );
  IF v_order.total = 0 THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status, 'reason', 'nothing_paid');
  END IF;
  -- A cancelled order's money is on its way back as a whole.
  IF NOT v_held OR NOT p_moves #> '{refund,from}' ? v_order.status THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_parts := ARRAY(SELECT x FROM ordering.refund_parts(p_merchant_id, p_order_id, p_lines, p_sent_only) x);
  IF p_shipping THEN
    v_shipping := ordering.unrefunded_shipping(v_order);
  END IF;
  v_worth := v_shipping + (SELECT coalesce(sum(x.amount), 0) FROM unnest(v_parts) x);
  v_left := least(v_worth, ordering.refundable(p_merchant_id, p_order_id, p_payment_from));
  IF coalesce(p_amount, v_worth) NOT BETWEEN 1 AND v_left THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(
        CASE
          WHEN v_left = 0 THEN jsonb_build_object('field', 'items', 'reason', 'nothing_paid')
          ELSE jsonb_build_object('field', 'amount', 'reason', 'more_than_paid', 'left', v_left)
        END
      )
    );
  END IF;
  v_refund_ids := ordering.insert_refunds(
    p_merchant_id,
    p_order_id,
    v_parts,
    v_shipping,
    coalesce(p_amount, v_worth),
    p_reason
  );
  UPDATE ordering.order_item i
  SET
    refunded_quantity = i.refunded_quantity + x.quantity,
    cancelled_quantity = i.cancelled_quantity + x.unsent
  FROM unnest(v_parts) x
  WHERE i.merchant_id = p_merchant_id AND i.id = x.order_item_id;
  IF NOT p_sent_only THEN
    v_refusals := ordering.move_refunded_units(
      p_merchant_id,
      p_order_id,
      v_parts,
      'Refund of ' || v_order.order_number
    );
    IF v_refusals IS NOT NULL THEN
      RAISE EXCEPTION USING ERRCODE = 'CG001', MESSAGE = 'stock can not take the units back', DETAIL = v_refusals::text;
    END IF;
  END IF;
  PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  RETURN jsonb_build_object(
    'outcome',
    'begun',
    'orderId',
    p_order_id,
    'refundId',
    v_refund_ids[1],
    'refundIds',
    to_jsonb(v_refund_ids)
  );
EXCEPTION WHEN SQLSTATE 'CG001' THEN -- By now something was written, which this undoes.
  RETURN jsonb_build_object(
    'outcome',
    'invalid',
    'refusals',
    jsonb_build_array(
      jsonb_build_object('field', format('items.%s.restock', v_refusals ->> 'position'), 'reason', 'not_restockable')
    )
  );
END;
$$;
