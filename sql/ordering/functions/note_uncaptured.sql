-- Divides what was reserved for an order that is paid, and isn't captured, among its lines, their taxes and the
-- shipping. An order whose money isn't on record has nothing uncaptured.
CREATE FUNCTION ordering.note_uncaptured(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_lines ordering.order_item[];
  v_paid bigint;
  v_uncaptured bigint;
  v_shares bigint[];
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id
  FOR UPDATE;
  v_paid := ordering.paid_amount(p_merchant_id, p_order_id);
  v_uncaptured := greatest(0, v_order.total - v_paid);
  IF v_order.paid_at IS NULL OR v_paid = 0 OR v_uncaptured = v_order.uncaptured THEN
    RETURN;
  END IF;
  v_lines := ARRAY(
    SELECT i
    FROM ordering.order_item i
    WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id
    ORDER BY i.position, i.id
  );
  v_shares := platform.allocate(
    v_uncaptured,
    ARRAY(SELECT l.subtotal - l.discount FROM unnest(v_lines) WITH ORDINALITY l ORDER BY l.ordinality) || ARRAY(
      SELECT l.tax FROM unnest(v_lines) WITH ORDINALITY l ORDER BY l.ordinality
    ) || (v_order.shipping - v_order.shipping_discount)
  );
  UPDATE ordering.order_item i
  SET
    uncaptured = v_shares[l.ordinality],
    uncaptured_tax = v_shares[cardinality(v_lines) + l.ordinality]
  FROM unnest(v_lines) WITH ORDINALITY l
  WHERE i.merchant_id = l.merchant_id AND i.id = l.id;
  UPDATE ordering.order o
  SET
    uncaptured = v_uncaptured,
    uncaptured_shipping = v_shares[cardinality(v_shares)]
  WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id;
END;
$$;
