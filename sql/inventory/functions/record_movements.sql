CREATE FUNCTION inventory.record_movements()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_setting text := nullif(current_setting('inventory.cause', TRUE), '');
  v_cause jsonb;
  v_principal text;
BEGIN
  PERFORM set_config('inventory.cause', '', TRUE);
  -- The statement writes them itself (inventory.take_shares).
  IF v_setting = 'written' THEN
    RETURN NULL;
  END IF;
  v_cause := v_setting::jsonb;
  v_principal := coalesce(v_cause ->> 'principal', inventory.principal_of(platform.current_session()));
  IF TG_OP = 'INSERT' THEN
    INSERT INTO inventory.stock_movement
      (
        merchant_id,
        stock_item_id,
        warehouse_id,
        product_id,
        kind,
        on_hand_delta,
        reserved_delta,
        on_hand,
        reserved,
        reason,
        reference_type,
        reference_id,
        principal
      )
    SELECT
      a.merchant_id,
      a.stock_item_id,
      a.warehouse_id,
      (SELECT i.product_id FROM inventory.stock_item i WHERE i.merchant_id = a.merchant_id AND i.id = a.stock_item_id),
      k.kind,
      a.available + a.reserved,
      a.reserved,
      a.available + a.reserved,
      a.reserved,
      coalesce(v_cause ->> 'reason', inventory.reason_of_movement(k.kind)),
      v_cause ->> 'referenceType',
      (v_cause ->> 'referenceId')::uuid,
      v_principal
    FROM
      after a
      CROSS JOIN LATERAL (SELECT coalesce(v_cause ->> 'kind', 'OPENING') AS kind) k
    WHERE a.available + a.reserved <> 0;
  ELSE
    INSERT INTO inventory.stock_movement
      (
        merchant_id,
        stock_item_id,
        warehouse_id,
        product_id,
        kind,
        on_hand_delta,
        reserved_delta,
        on_hand,
        reserved,
        reason,
        reference_type,
        reference_id,
        principal
      )
    SELECT
      a.merchant_id,
      a.stock_item_id,
      a.warehouse_id,
      (SELECT i.product_id FROM inventory.stock_item i WHERE i.merchant_id = a.merchant_id AND i.id = a.stock_item_id),
      k.kind,
      d.on_hand,
      d.reserved,
      a.available + a.reserved,
      a.reserved,
      coalesce(v_cause ->> 'reason', inventory.reason_of_movement(k.kind)),
      v_cause ->> 'referenceType',
      (v_cause ->> 'referenceId')::uuid,
      v_principal
    FROM
      after a
      JOIN before b USING (merchant_id, stock_item_id, warehouse_id)
      CROSS JOIN LATERAL (
        SELECT a.available + a.reserved - b.available - b.reserved AS on_hand, a.reserved - b.reserved AS reserved
      ) d
      CROSS JOIN LATERAL (
        SELECT coalesce(v_cause ->> 'kind', inventory.kind_of_movement(d.on_hand, d.reserved)) AS kind
      ) k
    WHERE d.on_hand <> 0 OR d.reserved <> 0;
  END IF;
  RETURN NULL;
END;
$$;
