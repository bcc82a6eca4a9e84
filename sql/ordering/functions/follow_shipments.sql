CREATE FUNCTION ordering.follow_shipments(p_merchant_id uuid, p_order_id uuid, p_moves jsonb)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_due bigint;
  v_packed bigint;
  v_left bigint;
  v_returned bigint;
  v_delivered bigint;
  v_latest ordering.shipment;
BEGIN
  SELECT
    sum(i.quantity - i.cancelled_quantity),
    sum(i.packed_quantity),
    sum(i.fulfilled_quantity),
    sum(i.returned_quantity)
  INTO v_due, v_packed, v_left, v_returned
  FROM ordering.order_item i
  WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id;
  SELECT coalesce(sum(l.quantity), 0)
  INTO v_delivered
  FROM
    ordering.shipment s
    JOIN ordering.shipment_line l ON l.merchant_id = s.merchant_id AND l.shipment_id = s.id
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND s.status = 'DELIVERED';
  SELECT *
  INTO v_latest
  FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.order_id = p_order_id AND s.status <> 'CANCELLED'
  ORDER BY s.shipped_at DESC NULLS LAST, s.created_at DESC, s.id DESC
  LIMIT 1;
  UPDATE ordering.fulfillment f
  SET
    status = CASE
      WHEN v_left > 0
      AND v_left = v_due
      AND v_returned = v_left THEN 'RETURNED'
      WHEN v_packed = 0 THEN 'UNFULFILLED'
      WHEN v_packed < v_due THEN 'PARTIAL'
      WHEN v_left < v_due THEN 'FULFILLED'
      WHEN v_delivered < v_due THEN 'SHIPPED'
      ELSE 'DELIVERED'
    END,
    carrier = v_latest.carrier,
    tracking_number = v_latest.tracking_number,
    shipped_at = v_latest.shipped_at,
    estimated_delivery_at = v_latest.estimated_delivery_at,
    delivered_at = CASE
      WHEN v_packed > 0
      AND v_delivered = v_due THEN coalesce(f.delivered_at, now())
    END
  WHERE f.merchant_id = p_merchant_id AND f.order_id = p_order_id;
  IF v_packed > 0 THEN
    PERFORM ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'fulfill');
  END IF;
  IF v_left > 0 AND v_left = v_due THEN
    PERFORM ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'ship');
  END IF;
  IF v_delivered > 0 AND v_delivered = v_due THEN
    PERFORM ordering.move_order(p_merchant_id, p_order_id, p_moves -> 'deliver');
  END IF;
END;
$$;
