-- answers:
--   advanced {returnId: uuid}
--   | unknown_return {}
--   | return_refused {status: ordering.order_return.status}
--   | invalid {refusals: ordering.refusal[]}
-- nullable: p_warehouse_id
CREATE FUNCTION ordering.receive_return(
  p_merchant_id uuid,
  p_return_id uuid,
  p_restock jsonb,
  p_warehouse_id uuid,
  p_move jsonb,
  p_moves jsonb
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_return ordering.order_return := ordering.lock_return(p_merchant_id, p_return_id, NULL);
  v_items uuid[];
  v_quantities integer[];
  v_refusals jsonb;
BEGIN
  IF v_return.id IS NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_return');
  END IF;
  IF
    p_warehouse_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM inventory.warehouse w WHERE w.merchant_id = p_merchant_id AND w.id = p_warehouse_id)
  THEN
    RETURN jsonb_build_object(
      'outcome',
      'invalid',
      'refusals',
      jsonb_build_array(jsonb_build_object('field', 'warehouseId', 'reason', 'unknown_warehouse'))
    );
  END IF;
  IF NOT p_move -> 'from' ? v_return.status THEN
    RETURN jsonb_build_object('outcome', 'return_refused', 'status', v_return.status);
  END IF;
  SELECT
    jsonb_agg(
      jsonb_build_object(
        'field',
        format(
          'restock.%s.%s',
          w.position - 1,
          CASE
            WHEN l.order_item_id IS NULL THEN 'orderItemId'
            ELSE 'quantity'
          END
        ),
        'reason',
        CASE
          WHEN l.order_item_id IS NULL THEN 'unknown_item'
          ELSE 'more_than_returned'
        END,
        'left',
        l.quantity
      )
      ORDER BY w.position
    )
  INTO v_refusals
  FROM
    ROWS FROM (jsonb_to_recordset(p_restock) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (
      id,
      quantity,
      position
    )
    LEFT JOIN ordering.return_line l
      ON l.merchant_id = p_merchant_id AND l.return_id = p_return_id AND l.order_item_id = w.id
  WHERE l.order_item_id IS NULL OR w.quantity > l.quantity;
  IF v_refusals IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  SELECT coalesce(array_agg(w.id ORDER BY w.position), '{}'), coalesce(array_agg(w.quantity ORDER BY w.position), '{}')
  INTO v_items, v_quantities
  FROM
    ROWS FROM (jsonb_to_recordset(p_restock) AS (id uuid, quantity integer)) WITH ORDINALITY AS w (
      id,
      quantity,
      position
    );
  PERFORM
    inventory.lock_levels(p_merchant_id, (ordering.stock_units(p_merchant_id, v_items, v_quantities)).stock_item_ids);
  v_refusals := ordering.restock(
    p_merchant_id,
    v_return.order_id,
    v_items,
    v_quantities,
    p_warehouse_id,
    'Return ' || v_return.return_number
  );
  IF v_refusals IS NOT NULL THEN
    RAISE EXCEPTION USING ERRCODE = 'CG001', MESSAGE = 'stock can not take the units back', DETAIL = v_refusals::text;
  END IF;
  UPDATE ordering.return_line l
  SET restocked_quantity = w.quantity
  FROM unnest(v_items, v_quantities) AS w (id, quantity)
  WHERE l.merchant_id = p_merchant_id AND l.return_id = p_return_id AND l.order_item_id = w.id;
  UPDATE ordering.order_item i
  SET returned_quantity = i.returned_quantity + l.quantity
  FROM ordering.return_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.return_id = p_return_id
    AND i.merchant_id = l.merchant_id
    AND i.id = l.order_item_id;
  UPDATE ordering.order_return r
  SET
    status = p_move ->> 'to',
    received_at = now()
  WHERE r.merchant_id = p_merchant_id AND r.id = p_return_id;
  PERFORM ordering.follow_shipments(p_merchant_id, v_return.order_id, p_moves);
  RETURN jsonb_build_object('outcome', 'advanced', 'returnId', p_return_id);
EXCEPTION WHEN SQLSTATE 'CG001' THEN -- By now something may be written, which this undoes.
  RETURN jsonb_build_object(
    'outcome',
    'invalid',
    'refusals',
    jsonb_build_array(
      CASE
        WHEN v_refusals -> 'refusals' @> '[{"field": "warehouseId"}]' THEN jsonb_build_object(
          'field',
          'warehouseId',
          'reason',
          'unknown_warehouse'
        )
        ELSE jsonb_build_object(
          'field',
          format('restock.%s.orderItemId', v_refusals ->> 'position'),
          'reason',
          'not_restockable'
        )
      END
    )
  );
END;
$$;
