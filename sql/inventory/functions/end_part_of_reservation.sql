-- p_write_off: why consumed units are written off; NULL if they are shipped.
CREATE FUNCTION inventory.end_part_of_reservation(
  p_merchant_id uuid,
  p_order_id uuid,
  p_stock_item_ids uuid[],
  p_quantities integer[],
  p_status text,
  p_write_off text DEFAULT NULL
)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
  v_rest_id uuid := platform.uuid_v7();
BEGIN
  IF
    v_reservation.id IS NULL
    AND EXISTS (
      SELECT
      FROM ordering.order o
      WHERE o.merchant_id = p_merchant_id AND o.id = p_order_id AND o.imported_at IS NOT NULL
    )
  THEN
    -- An order from another system has never held stock here.
    RETURN;
  END IF;
  IF v_reservation.status IS DISTINCT FROM 'COMMITTED' THEN
    RAISE EXCEPTION 'order % has no committed reservation', p_order_id;
  END IF;
  INSERT INTO inventory.reservation (merchant_id, id, status, expires_at)
  VALUES (p_merchant_id, v_rest_id, 'COMMITTED', v_reservation.expires_at);
  WITH
    part AS (
      SELECT
        h.stock_item_id,
        h.warehouse_id,
        h.quantity - least(
          h.quantity,
          greatest(0, coalesce(w.quantity, 0) - coalesce(sum(h.quantity) OVER before, 0))
        )::integer AS rest
      FROM
        inventory.reservation_line h
        JOIN inventory.warehouse p ON p.merchant_id = h.merchant_id AND p.id = h.warehouse_id
        LEFT JOIN (
          -- Two lines of an order may have the same product, with other properties.
          SELECT u.stock_item_id, sum(u.quantity) AS quantity
          FROM unnest(p_stock_item_ids, p_quantities) AS u (stock_item_id, quantity)
          GROUP BY u.stock_item_id
        ) w
          ON w.stock_item_id = h.stock_item_id
      WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
      WINDOW
        before AS (
          PARTITION BY h.stock_item_id
          ORDER BY p.priority, h.warehouse_id
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
    ),
    moved AS (
      INSERT INTO inventory.reservation_line (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
      SELECT p_merchant_id, v_rest_id, part.stock_item_id, part.warehouse_id, part.rest FROM part WHERE part.rest > 0
    ),
    gone AS (
      DELETE FROM inventory.reservation_line h
      USING part
      WHERE
        h.merchant_id = p_merchant_id
        AND h.reservation_id = v_reservation.id
        AND h.stock_item_id = part.stock_item_id
        AND h.warehouse_id = part.warehouse_id
        AND h.quantity = part.rest
    )
  UPDATE inventory.reservation_line h
  SET quantity = h.quantity - part.rest
  FROM part
  WHERE
    h.merchant_id = p_merchant_id
    AND h.reservation_id = v_reservation.id
    AND h.stock_item_id = part.stock_item_id
    AND h.warehouse_id = part.warehouse_id
    AND part.rest > 0
    AND part.rest < h.quantity;
  IF
    (
      SELECT coalesce(sum(h.quantity), 0)
      FROM inventory.reservation_line h
      WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
    ) <> (SELECT sum(q) FROM unnest(p_quantities) q)
  THEN
    RAISE EXCEPTION 'the reservation of order % does not hold what is to leave it', p_order_id;
  END IF;

  CASE p_status
    WHEN 'CONSUMED' THEN
      PERFORM inventory.consume_reservation(p_merchant_id, p_order_id, p_write_off);
    WHEN 'RELEASED' THEN
      PERFORM inventory.release_reservation_of_order(p_merchant_id, p_order_id, 'RELEASED');
  END CASE;
  IF
    EXISTS (
      SELECT FROM inventory.reservation_line h WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_rest_id
    )
  THEN
    UPDATE inventory.reservation r SET order_id = p_order_id WHERE r.merchant_id = p_merchant_id AND r.id = v_rest_id;
  ELSE
    DELETE FROM inventory.reservation r WHERE r.merchant_id = p_merchant_id AND r.id = v_rest_id;
  END IF;
END;
$$;
