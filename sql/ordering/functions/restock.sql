CREATE FUNCTION ordering.restock(
  p_merchant_id uuid,
  p_order_id uuid,
  p_item_ids uuid[],
  p_quantities integer[],
  p_warehouse_id uuid,
  p_reason text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_line record;
  v_outcome jsonb;
BEGIN
  FOR v_line IN SELECT x.position, x.quantity, k.sku
  FROM
    unnest(p_item_ids, p_quantities) WITH ORDINALITY AS x (id, quantity, position)
    JOIN ordering.order_item i ON i.merchant_id = p_merchant_id AND i.id = x.id
    JOIN inventory.stock_item k
      ON k.merchant_id = i.merchant_id
      AND k.product_id = i.product_id
      AND k.variant_id IS NOT DISTINCT FROM i.variant_id
  WHERE x.quantity > 0
  ORDER BY k.id LOOP
    v_outcome := inventory.take_back(p_merchant_id, p_order_id, v_line.sku, p_warehouse_id, v_line.quantity, p_reason);
    IF v_outcome ->> 'outcome' <> 'changed' THEN
      RETURN v_outcome || jsonb_build_object('position', v_line.position - 1);
    END IF;
  END LOOP;
  RETURN NULL;
END;
$$;
