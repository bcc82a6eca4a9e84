-- answers:
--   advanced {orderId: uuid, shipmentId: uuid}
--   | unknown_order {}
--   | order_refused {status: ordering.order.status}
--   | invalid {refusals: ordering.refusal[]}
-- nullable: p_lines, p_ship
CREATE FUNCTION ordering.fulfill_order(
  p_merchant_id uuid,
  p_order_id uuid,
  p_lines jsonb,
  p_shipment jsonb,
  p_ship jsonb,
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_awaited boolean;
  v_shipment_id uuid := platform.uuid_v7();
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
  v_awaited := v_order.status = 'PENDING' AND (payment.open_payment(p_merchant_id, p_order_id)).awaited IS TRUE;
  IF NOT (p_moves #> '{fulfill,from}' ? v_order.status OR v_awaited) THEN
    RETURN jsonb_build_object('outcome', 'order_refused', 'status', v_order.status);
  END IF;
  SELECT coalesce(jsonb_agg(r ORDER BY r.field), '[]')
  INTO v_refusals
  FROM
    (
      SELECT
        CASE
          WHEN i.id IS NULL THEN format('items.%s.orderItemId', w.position - 1)
          ELSE format('items.%s.quantity', w.position - 1)
        END AS field,
        CASE
          WHEN i.id IS NULL THEN 'unknown_item'
          ELSE 'more_than_left'
        END AS reason,
        i.quantity - i.packed_quantity - i.cancelled_quantity AS left
      FROM
        ROWS FROM (jsonb_to_recordset(coalesce(p_lines, '[]')) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (
          id,
          quantity,
          position
        )
        LEFT JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND i.id = w.id
      WHERE i.id IS NULL OR w.quantity > i.quantity - i.packed_quantity - i.cancelled_quantity
      UNION ALL
      SELECT 'items', 'nothing_left', 0
      WHERE
        p_lines IS NULL
        AND NOT EXISTS (
          SELECT
          FROM ordering.order_item i
          WHERE
            i.merchant_id = p_merchant_id
            AND i.order_id = p_order_id
            AND i.quantity > i.packed_quantity + i.cancelled_quantity
        )
    ) r;
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  IF v_awaited THEN
    PERFORM inventory.commit_reservation(p_merchant_id, p_order_id);
  END IF;
  INSERT INTO ordering.shipment (merchant_id, id, order_id, carrier, tracking_number, estimated_delivery_at)
  VALUES
    (
      p_merchant_id,
      v_shipment_id,
      p_order_id,
      p_shipment ->> 'carrier',
      p_shipment ->> 'trackingNumber',
      (p_shipment ->> 'estimatedDeliveryAt')::timestamptz
    );
  INSERT INTO ordering.shipment_line (merchant_id, shipment_id, order_item_id, quantity)
  SELECT p_merchant_id, v_shipment_id, w.id, w.quantity
  FROM jsonb_to_recordset(p_lines) AS w (id uuid, quantity integer)
  WHERE p_lines IS NOT NULL
  UNION ALL
  SELECT p_merchant_id, v_shipment_id, i.id, i.quantity - i.packed_quantity - i.cancelled_quantity
  FROM ordering.order_item i
  WHERE
    p_lines IS NULL
    AND i.merchant_id = p_merchant_id
    AND i.order_id = p_order_id
    AND i.quantity > i.packed_quantity + i.cancelled_quantity;
  UPDATE ordering.order_item i
  SET packed_quantity = i.packed_quantity + l.quantity
  FROM ordering.shipment_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.shipment_id = v_shipment_id
    AND i.merchant_id = l.merchant_id
    AND i.id = l.order_item_id;
  IF p_ship IS NOT NULL THEN
    PERFORM ordering.send(p_merchant_id, p_order_id, v_shipment_id, p_ship ->> 'to');
  END IF;
  PERFORM ordering.follow_shipments(p_merchant_id, p_order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', p_order_id, 'shipmentId', v_shipment_id);
END;
$$;
