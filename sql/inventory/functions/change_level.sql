-- type inventory.place_refusal = {field: text, reason: 'unknown_sku' | 'has_variants' | 'unknown_warehouse' |
--   'no_warehouse'}
-- answers:
--   changed {stockItemId: uuid}
--   | invalid {refusals: inventory.place_refusal[]}
--   | out_of_range {available: integer, max: integer}
-- nullable: p_warehouse_id, p_available, p_delta, p_principal
CREATE FUNCTION inventory.change_level(
  p_merchant_id uuid,
  p_sku text,
  p_warehouse_id uuid,
  p_available integer,
  p_delta integer,
  p_reason text,
  p_principal text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  -- sums over many warehouses stay within an integer
  c_max CONSTANT integer := 999999;
  v_refusals jsonb := inventory.place_refusals(p_merchant_id, p_sku, p_warehouse_id);
  v_level inventory.stock_level;
  v_available bigint;
BEGIN
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  v_level := inventory.lock_level(
    p_merchant_id,
    (SELECT i.id FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku),
    inventory.warehouse_or_first(p_merchant_id, p_warehouse_id)
  );
  v_available := coalesce(p_available, v_level.available::bigint + p_delta);
  -- Goods that arrive are taken in, however many there are: a level above the bound can go down, not up.
  IF v_available < 0 OR v_available > greatest(c_max, v_level.available) THEN
    RETURN jsonb_build_object('outcome', 'out_of_range', 'available', v_level.available, 'max', c_max);
  END IF;
  IF v_available > v_level.available THEN
    v_refusals := inventory.intake_refusals(p_merchant_id, p_sku);
    IF v_refusals <> '[]' THEN
      RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
    END IF;
  END IF;

  PERFORM
    inventory.because(
      CASE
        WHEN p_available IS NULL THEN 'ADJUSTMENT'
        ELSE 'STOCKTAKE'
      END,
      p_reason,
      NULL,
      NULL,
      p_principal
    );
  UPDATE inventory.stock_level l
  SET
    available = v_available,
    last_restocked_at = CASE
      WHEN v_available > l.available THEN now()
      ELSE l.last_restocked_at
    END
  WHERE
    l.merchant_id = p_merchant_id
    AND l.stock_item_id = v_level.stock_item_id
    AND l.warehouse_id = v_level.warehouse_id;
  RETURN jsonb_build_object('outcome', 'changed', 'stockItemId', v_level.stock_item_id);
END;
$$;
