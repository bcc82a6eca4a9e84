CREATE FUNCTION ordering.move_refunded_units(
  p_merchant_id uuid,
  p_order_id uuid,
  p_parts ordering.refund_part[],
  p_reason text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_items uuid[] := ARRAY(SELECT x.order_item_id FROM unnest(p_parts) WITH ORDINALITY x ORDER BY x.ordinality);
  v_released ordering.stock_units;
  v_written_off ordering.stock_units;
BEGIN
  v_released := ordering.stock_units(
    p_merchant_id,
    v_items,
    ARRAY(
      SELECT
        CASE
          WHEN x.restock IS NOT FALSE THEN x.unsent
          ELSE 0
        END
      FROM unnest(p_parts) WITH ORDINALITY x
      ORDER BY x.ordinality
    )
  );
  v_written_off := ordering.stock_units(
    p_merchant_id,
    v_items,
    ARRAY(
      SELECT
        CASE
          WHEN x.restock IS FALSE THEN x.unsent
          ELSE 0
        END
      FROM unnest(p_parts) WITH ORDINALITY x
      ORDER BY x.ordinality
    )
  );
  -- The reservation before the levels, and all levels at once: see the lock order in stock_rules.
  PERFORM inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
  PERFORM
    inventory.lock_levels(
      p_merchant_id,
      (ordering.stock_units(p_merchant_id, v_items, array_fill(1, ARRAY[cardinality(v_items)]))).stock_item_ids
    );
  IF cardinality(v_released.quantities) > 0 THEN
    PERFORM
      inventory.end_part_of_reservation(
        p_merchant_id,
        p_order_id,
        v_released.stock_item_ids,
        v_released.quantities,
        'RELEASED'
      );
  END IF;
  IF cardinality(v_written_off.quantities) > 0 THEN
    PERFORM
      inventory.end_part_of_reservation(
        p_merchant_id,
        p_order_id,
        v_written_off.stock_item_ids,
        v_written_off.quantities,
        'CONSUMED',
        p_reason
      );
  END IF;
  RETURN ordering.restock(
    p_merchant_id,
    p_order_id,
    v_items,
    ARRAY(
      SELECT
        CASE
          WHEN x.restock THEN x.sent
          ELSE 0
        END
      FROM unnest(p_parts) WITH ORDINALITY x
      ORDER BY x.ordinality
    ),
    NULL,
    p_reason
  );
END;
$$;
