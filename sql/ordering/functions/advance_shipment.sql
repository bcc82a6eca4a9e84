-- answers:
--   advanced {orderId: uuid, shipmentId: uuid}
--   | unknown_shipment {}
--   | shipment_refused {orderId: uuid, status: ordering.shipment.status}
CREATE FUNCTION ordering.advance_shipment(
  p_merchant_id uuid,
  p_shipment_id uuid,
  p_event text,
  p_move jsonb,
  p_shipment jsonb,
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_shipment ordering.shipment;
BEGIN
  PERFORM
  FROM ordering.order o
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = (SELECT s.order_id FROM ordering.shipment s WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id)
  FOR UPDATE;
  SELECT *
  INTO v_shipment
  FROM ordering.shipment s
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown_shipment');
  END IF;
  IF NOT p_move -> 'from' ? v_shipment.status THEN
    RETURN jsonb_build_object(
      'outcome',
      'shipment_refused',
      'orderId',
      v_shipment.order_id,
      'status',
      v_shipment.status
    );
  END IF;
  UPDATE ordering.shipment s
  SET
    carrier = coalesce(p_shipment ->> 'carrier', s.carrier),
    tracking_number = coalesce(p_shipment ->> 'trackingNumber', s.tracking_number),
    estimated_delivery_at = coalesce((p_shipment ->> 'estimatedDeliveryAt')::timestamptz, s.estimated_delivery_at)
  WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id AND jsonb_strip_nulls(p_shipment) <> '{}';
  CASE p_event
    WHEN 'ship' THEN
      PERFORM ordering.send(p_merchant_id, v_shipment.order_id, p_shipment_id, p_move ->> 'to');
    WHEN 'cancel' THEN
      PERFORM ordering.unpack(p_merchant_id, ARRAY[p_shipment_id]);
      PERFORM ordering.await_after_unpacking(p_merchant_id, v_shipment.order_id);
    WHEN 'deliver' THEN
      UPDATE ordering.shipment s
      SET
        status = p_move ->> 'to',
        delivered_at = now()
      WHERE s.merchant_id = p_merchant_id AND s.id = p_shipment_id;
    WHEN 'update' THEN
      NULL;
  END CASE;
  PERFORM ordering.follow_shipments(p_merchant_id, v_shipment.order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'orderId', v_shipment.order_id, 'shipmentId', p_shipment_id);
END;
$$;
