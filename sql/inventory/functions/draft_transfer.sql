-- type inventory.transfer_refusal =
--   {
--   field: text,
--   reason: 'unknown_warehouse' | 'same_warehouse' | 'unknown_sku' | 'quantity_too_large' | 'not_in_transfer'
--   }
--   | {field: text, reason: 'too_many', awaited: integer}
-- answers: changed {transferId: uuid} | invalid {refusals: inventory.transfer_refusal[]}
-- nullable: p_expected_date, p_notes
CREATE FUNCTION inventory.draft_transfer(
  p_merchant_id uuid,
  p_from_warehouse_id uuid,
  p_to_warehouse_id uuid,
  p_lines jsonb,
  p_expected_date date,
  p_notes text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_refusals jsonb;
BEGIN
  SELECT coalesce(jsonb_agg(r), '[]')
  INTO v_refusals
  FROM
    (
      SELECT w.field, 'unknown_warehouse' AS reason
      FROM
        (
          VALUES
            ('fromWarehouseId', p_from_warehouse_id),
            ('toWarehouseId', p_to_warehouse_id)
        ) AS w (field, id)
      WHERE NOT EXISTS (SELECT FROM inventory.warehouse x WHERE x.merchant_id = p_merchant_id AND x.id = w.id)
      UNION ALL
      SELECT 'toWarehouseId', 'same_warehouse' WHERE p_from_warehouse_id = p_to_warehouse_id
    ) r;
  v_refusals := v_refusals || inventory.transfer_line_refusals(p_merchant_id, p_lines);
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  INSERT INTO inventory.transfer (merchant_id, id, from_warehouse_id, to_warehouse_id, expected_date, notes)
  VALUES (p_merchant_id, v_id, p_from_warehouse_id, p_to_warehouse_id, p_expected_date, p_notes);
  INSERT INTO inventory.transfer_line (merchant_id, transfer_id, stock_item_id, quantity)
  SELECT p_merchant_id, v_id, l.stock_item_id, l.quantity FROM inventory.transfer_lines(p_merchant_id, p_lines) l;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', v_id);
END;
$$;
