CREATE FUNCTION ordering.note_uncaptured()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_order ordering.order;
  v_lines ordering.order_item[];
  v_uncaptured bigint;
  v_shares bigint[];
BEGIN
  SELECT *
  INTO v_order
  FROM ordering.order o
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id
  FOR UPDATE;
  v_uncaptured := greatest(
    0,
    v_order.total - (
      SELECT sum(p.captured_amount)
      FROM payment.payment p
      WHERE p.merchant_id = NEW.merchant_id AND p.order_id = NEW.order_id
    )
  );
  IF v_uncaptured = v_order.uncaptured THEN
    RETURN NULL;
  END IF;
  v_lines := ARRAY(
    SELECT i
    FROM ordering.order_item i
    WHERE i.merchant_id = NEW.merchant_id AND i.order_id = NEW.order_id
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
  WHERE o.merchant_id = NEW.merchant_id AND o.id = NEW.order_id;
  RETURN NULL;
END;
$$;
