CREATE FUNCTION inventory.take_back(
  p_merchant_id uuid,
  p_order_id uuid,
  p_sku text,
  p_warehouse_id uuid,
  p_quantity integer,
  p_reason text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  c_max CONSTANT integer := 999999;
  v_refusals jsonb := inventory.place_refusals(p_merchant_id, p_sku, p_warehouse_id);
  v_level inventory.stock_level;
BEGIN
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_level := inventory.lock_level(
    p_merchant_id,
    (SELECT i.id FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku),
    inventory.warehouse_or_first(p_merchant_id, p_warehouse_id)
  );
  IF v_level.available + p_quantity > c_max THEN
    RETURN jsonb_build_object('outcome', 'out_of_range');
  END IF;
  PERFORM inventory.because('RETURN', p_reason, 'ORDER', p_order_id, NULL);
  UPDATE inventory.stock_level l
  SET available = l.available + p_quantity
  WHERE
    l.merchant_id = p_merchant_id
    AND l.stock_item_id = v_level.stock_item_id
    AND l.warehouse_id = v_level.warehouse_id;
  RETURN jsonb_build_object('outcome', 'changed');
END;
$$;
