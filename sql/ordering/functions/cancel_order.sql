-- answers:
--   cancelled {orderId: uuid, refundIds: uuid[]}
--   | unknown_order {}
--   | order_refused {status: ordering.order.status, reason?: 'partly_shipped'}
--   | payment_open {paymentId: uuid, status: payment.payment.status}
-- nullable: p_customer_id
CREATE FUNCTION ordering.cancel_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_customer_id uuid,
  p_reason text,
  p_from text[],
  p_to text,
  p_payment_from text[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_open payment.payment;
  v_held bigint;
  v_refund_ids uuid[] := '{}';
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND (p_customer_id IS NULL OR o.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_order');
  END IF;
  IF NOT v_order.status = ANY (p_from) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  IF
    EXISTS (
      SELECT
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.fulfilled_quantity > 0
    )
  THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status, 'reason', 'partly_shipped');
  END IF;
  v_open := payment.open_payment(p_merchant_id, p_order_id);
  IF v_open.id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'payment_open', 'paymentId', v_open.id, 'status', v_open.status);
  END IF;
  v_held := ordering.refundable(p_merchant_id, p_order_id, p_payment_from);
  IF v_held > 0 THEN
    v_refund_ids := ordering.insert_refunds(
      p_merchant_id,
      p_order_id,
      ARRAY(
        SELECT x
        FROM
          ordering.refund_parts(
            p_merchant_id,
            p_order_id,
            (
              SELECT
                jsonb_agg(
                  jsonb_build_object('id', i.id, 'quantity', i.quantity - i.refunded_quantity)
                  ORDER BY i.position, i.id
                )
              FROM ordering.order_item i
              WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.quantity > i.refunded_quantity
            ),
            FALSE
          ) x
        -- A part that was paid is for no lines in particular, nor for shipping.
        WHERE v_order.paid_at IS NOT NULL
      ),
      CASE
        WHEN v_order.paid_at IS NOT NULL THEN ordering.unrefunded_shipping(v_order)
        ELSE 0
      END,
      v_held,
      p_reason
    );
  END IF;
  UPDATE ordering.order o
  SET
    status = p_to,
    cancel_reason = p_reason,
    cancelled_at = now()
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
  IF v_order.paid_at IS NOT NULL THEN
    PERFORM ordering.give_up_unsent(p_merchant_id, p_order_id);
  ELSE
    -- An order that is paid on delivery or later is packed before it is paid.
    PERFORM ordering.unpack(p_merchant_id, ordering.packed_shipments(p_merchant_id, p_order_id));
    PERFORM inventory.release_reservation_of_order(p_merchant_id, p_order_id, 'RELEASED');
  END IF;
  UPDATE ordering.fulfillment f
  SET status = 'UNFULFILLED'
  WHERE f.merchant_id = p_merchant_id AND f.order_id = p_order_id;
  RETURN jsonb_build_object('outcome', 'cancelled', 'orderId', p_order_id, 'refundIds', to_jsonb(v_refund_ids));
END;
$$;
