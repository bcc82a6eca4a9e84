-- answers:
--   changed {transferId: uuid}
--   | inventory.transfer_stays
--   | insufficient {shortages: {sku: text, available: integer, requested: integer}[]}
-- nullable: p_principal
CREATE FUNCTION inventory.ship_transfer(p_merchant_id uuid, p_id uuid, p_from text[], p_to text, p_principal text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_transfer(p_merchant_id, p_id, p_from);
  v_transfer inventory.transfer := v_locked.transfer;
  v_shortages jsonb;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  PERFORM
    inventory.lock_levels(
      p_merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM inventory.transfer_line l
        WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id
      )
    );
  SELECT
    jsonb_agg(
      jsonb_build_object('sku', i.sku, 'available', coalesce(s.available, 0), 'requested', l.quantity)
      ORDER BY i.sku
    )
  INTO v_shortages
  FROM
    inventory.transfer_line l
    JOIN inventory.stock_item i ON i.merchant_id = l.merchant_id AND i.id = l.stock_item_id
    LEFT JOIN inventory.stock_level s
      ON s.merchant_id = l.merchant_id
      AND s.stock_item_id = l.stock_item_id
      AND s.warehouse_id = v_transfer.from_warehouse_id
  WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id AND coalesce(s.available, 0) < l.quantity;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;

  PERFORM inventory.because('TRANSFER_OUT', 'Sent to another warehouse', 'TRANSFER', p_id, p_principal);
  UPDATE inventory.stock_level s
  SET available = s.available - l.quantity
  FROM inventory.transfer_line l
  WHERE
    l.merchant_id = p_merchant_id
    AND l.transfer_id = p_id
    AND s.merchant_id = l.merchant_id
    AND s.stock_item_id = l.stock_item_id
    AND s.warehouse_id = v_transfer.from_warehouse_id;
  INSERT INTO inventory.incoming_stock (merchant_id, stock_item_id, warehouse_id, transfer_id, quantity, expected_date)
  SELECT p_merchant_id, l.stock_item_id, v_transfer.to_warehouse_id, p_id, l.quantity, v_transfer.expected_date
  FROM inventory.transfer_line l
  WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id;
  UPDATE inventory.transfer t
  SET
    status = p_to,
    shipped_at = now()
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END;
$$;
