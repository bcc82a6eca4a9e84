-- Stock that comes in: bought stock that arrives, and transfers between warehouses. Locks are taken as everywhere: the
-- transfer, what is incoming, then the levels by (stock_item_id, warehouse_id).

-- Puts arrived units of incoming stock on the shelf. The caller has locked the row and seen that they are awaited.
CREATE FUNCTION inventory.shelve(p_incoming inventory.incoming_stock, p_quantity integer, p_principal text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_level inventory.stock_level := inventory.lock_level(
    p_incoming.merchant_id, p_incoming.stock_item_id, p_incoming.warehouse_id
  );
BEGIN
  IF p_incoming.transfer_id IS NULL THEN
    PERFORM inventory.because(
      'ARRIVAL', coalesce('Arrived: ' || p_incoming.reference, 'Arrived'), 'INCOMING_STOCK', p_incoming.id, p_principal
    );
  ELSE
    PERFORM inventory.because('TRANSFER_IN', 'Arrived from another warehouse', 'TRANSFER', p_incoming.transfer_id, p_principal);
  END IF;
  UPDATE inventory.stock_level l SET available = l.available + p_quantity, last_restocked_at = now()
  WHERE l.merchant_id = v_level.merchant_id AND l.stock_item_id = v_level.stock_item_id AND l.warehouse_id = v_level.warehouse_id;
  UPDATE inventory.incoming_stock n
  SET
    received_quantity = n.received_quantity + p_quantity,
    received_at = CASE WHEN n.received_quantity + p_quantity = n.quantity THEN now() ELSE n.received_at END
  WHERE n.merchant_id = p_incoming.merchant_id AND n.id = p_incoming.id;
END
$$;

-- Expects bought stock; without a warehouse in the active one that reservations take from first.
-- {outcome: 'changed', incomingStockId} | {outcome: 'invalid', refusals: [{field, reason}]}
CREATE FUNCTION inventory.expect_stock(
  p_merchant_id uuid,
  p_sku text,
  p_warehouse_id uuid,
  p_quantity integer,
  p_expected_date date,
  p_reference text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refusals jsonb := inventory.place_refusals(p_merchant_id, p_sku, p_warehouse_id) || inventory.intake_refusals(p_merchant_id, p_sku);
  v_id uuid := platform.uuid_v7();
BEGIN
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  INSERT INTO inventory.incoming_stock (merchant_id, id, stock_item_id, warehouse_id, quantity, expected_date, reference)
  SELECT p_merchant_id, v_id, i.id, inventory.warehouse_or_first(p_merchant_id, p_warehouse_id), p_quantity, p_expected_date, p_reference
  FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku;
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', v_id);
END
$$;

-- Incoming stock that the merchant may change by itself, locked; or why not, as the callers answer it.
CREATE FUNCTION inventory.lock_awaited(p_merchant_id uuid, p_id uuid, OUT incoming inventory.incoming_stock, OUT refusal jsonb)
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT * INTO incoming FROM inventory.incoming_stock n WHERE n.merchant_id = p_merchant_id AND n.id = p_id FOR UPDATE;
  refusal := CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'unknown')
    WHEN incoming.transfer_id IS NOT NULL THEN jsonb_build_object('outcome', 'belongs_to_transfer', 'transferId', incoming.transfer_id)
    WHEN incoming.awaited IS NULL THEN jsonb_build_object('outcome', 'refused', 'status', incoming.status)
  END;
END
$$;

-- p_changes: any of {quantity, expectedDate, reference}.
-- {outcome: 'changed', incomingStockId} | {outcome: 'too_few', received} | what lock_awaited says
CREATE FUNCTION inventory.change_incoming_stock(p_merchant_id uuid, p_id uuid, p_changes jsonb) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_awaited(p_merchant_id, p_id);
  v_incoming inventory.incoming_stock := v_locked.incoming;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  IF (p_changes ->> 'quantity')::integer < v_incoming.received_quantity THEN
    RETURN jsonb_build_object('outcome', 'too_few', 'received', v_incoming.received_quantity);
  END IF;
  UPDATE inventory.incoming_stock n
  SET
    quantity = coalesce((p_changes ->> 'quantity')::integer, n.quantity),
    received_at = CASE WHEN (p_changes ->> 'quantity')::integer = n.received_quantity THEN now() ELSE n.received_at END,
    expected_date = CASE WHEN p_changes ? 'expectedDate' THEN (p_changes ->> 'expectedDate')::date ELSE n.expected_date END,
    reference = CASE WHEN p_changes ? 'reference' THEN p_changes ->> 'reference' ELSE n.reference END
  WHERE n.merchant_id = p_merchant_id AND n.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', p_id);
END
$$;

-- p_quantity NULL: all that is awaited.
-- {outcome: 'changed', incomingStockId} | {outcome: 'too_many', awaited} | what lock_awaited says
CREATE FUNCTION inventory.receive_incoming_stock(p_merchant_id uuid, p_id uuid, p_quantity integer, p_principal text) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_awaited(p_merchant_id, p_id);
  v_incoming inventory.incoming_stock := v_locked.incoming;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  IF p_quantity > v_incoming.awaited THEN
    RETURN jsonb_build_object('outcome', 'too_many', 'awaited', v_incoming.awaited);
  END IF;
  PERFORM inventory.shelve(v_incoming, coalesce(p_quantity, v_incoming.awaited), p_principal);
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', p_id);
END
$$;

-- What has arrived stays; nothing more is awaited.
-- {outcome: 'changed', incomingStockId} | what lock_awaited says
CREATE FUNCTION inventory.cancel_incoming_stock(p_merchant_id uuid, p_id uuid) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refusal jsonb;
BEGIN
  SELECT a.refusal INTO v_refusal FROM inventory.lock_awaited(p_merchant_id, p_id) a;
  IF v_refusal IS NOT NULL THEN
    RETURN v_refusal;
  END IF;
  UPDATE inventory.incoming_stock n SET cancelled_at = now() WHERE n.merchant_id = p_merchant_id AND n.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', p_id);
END
$$;

-- Lines of a transfer as asked for: [{sku, quantity}], the same SKU twice being one line of the sum.
CREATE FUNCTION inventory.transfer_lines(p_merchant_id uuid, p_lines jsonb)
RETURNS TABLE ("position" integer, stock_item_id uuid, sku text, quantity bigint)
LANGUAGE sql STABLE
AS $$
  SELECT min(l.position)::integer - 1, i.id, l.sku, sum(l.quantity)
  FROM ROWS FROM (jsonb_to_recordset(p_lines) AS (sku text, quantity integer)) WITH ORDINALITY AS l(sku, quantity, position)
  LEFT JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.sku = l.sku
  GROUP BY i.id, l.sku
$$;

-- [{field: 'lines.2.sku', reason: 'unknown_sku' | 'quantity_too_large'}]
CREATE FUNCTION inventory.transfer_line_refusals(p_merchant_id uuid, p_lines jsonb) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(
    jsonb_agg(
      CASE
        WHEN l.stock_item_id IS NULL THEN jsonb_build_object('field', format('lines.%s.sku', l.position), 'reason', 'unknown_sku')
        ELSE jsonb_build_object('field', format('lines.%s.quantity', l.position), 'reason', 'quantity_too_large')
      END
      ORDER BY l.position
    ),
    '[]'
  )
  FROM inventory.transfer_lines(p_merchant_id, p_lines) l
  WHERE l.stock_item_id IS NULL OR l.quantity > 999999
$$;

-- A draft: nothing moves yet.
-- {outcome: 'changed', transferId} | {outcome: 'invalid', refusals: [{field, reason}]}
CREATE FUNCTION inventory.draft_transfer(
  p_merchant_id uuid,
  p_from_warehouse_id uuid,
  p_to_warehouse_id uuid,
  p_lines jsonb,
  p_expected_date date,
  p_notes text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_id uuid := platform.uuid_v7();
  v_refusals jsonb;
BEGIN
  SELECT coalesce(jsonb_agg(r), '[]') INTO v_refusals FROM (
    SELECT w.field, 'unknown_warehouse' AS reason
    FROM (VALUES ('fromWarehouseId', p_from_warehouse_id), ('toWarehouseId', p_to_warehouse_id)) AS w(field, id)
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
END
$$;

-- A transfer in one of the states p_from, locked; or why not, as the callers answer it.
CREATE FUNCTION inventory.lock_transfer(
  p_merchant_id uuid,
  p_id uuid,
  p_from text[],
  OUT transfer inventory.transfer,
  OUT refusal jsonb
)
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT * INTO transfer FROM inventory.transfer t WHERE t.merchant_id = p_merchant_id AND t.id = p_id FOR UPDATE;
  refusal := CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'unknown')
    WHEN NOT transfer.status = ANY (p_from) THEN jsonb_build_object('outcome', 'refused', 'status', transfer.status)
  END;
END
$$;

-- p_changes: any of {lines, expectedDate, notes}; lines replace those that are there.
-- {outcome: 'changed', transferId} | {outcome: 'invalid', refusals} | what lock_transfer says
CREATE FUNCTION inventory.change_transfer(p_merchant_id uuid, p_id uuid, p_changes jsonb, p_from text[]) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refusal jsonb;
BEGIN
  SELECT t.refusal INTO v_refusal FROM inventory.lock_transfer(p_merchant_id, p_id, p_from) t;
  IF v_refusal IS NOT NULL THEN
    RETURN v_refusal;
  END IF;
  IF p_changes ? 'lines' THEN
    v_refusal := inventory.transfer_line_refusals(p_merchant_id, p_changes -> 'lines');
    IF v_refusal <> '[]' THEN
      RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusal);
    END IF;
    DELETE FROM inventory.transfer_line l WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id;
    INSERT INTO inventory.transfer_line (merchant_id, transfer_id, stock_item_id, quantity)
    SELECT p_merchant_id, p_id, l.stock_item_id, l.quantity FROM inventory.transfer_lines(p_merchant_id, p_changes -> 'lines') l;
  END IF;
  UPDATE inventory.transfer t
  SET
    expected_date = CASE WHEN p_changes ? 'expectedDate' THEN (p_changes ->> 'expectedDate')::date ELSE t.expected_date END,
    notes = CASE WHEN p_changes ? 'notes' THEN p_changes ->> 'notes' ELSE t.notes END
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END
$$;

-- The goods leave: what is moved is no longer for sale there, and awaited at the other end.
-- {outcome: 'changed', transferId} | {outcome: 'insufficient', shortages: [{sku, available, requested}]} | what lock_transfer says
CREATE FUNCTION inventory.ship_transfer(p_merchant_id uuid, p_id uuid, p_from text[], p_to text, p_principal text) RETURNS jsonb
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
  PERFORM inventory.lock_levels(p_merchant_id, ARRAY(
    SELECT l.stock_item_id FROM inventory.transfer_line l WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id
  ));
  SELECT jsonb_agg(
    jsonb_build_object('sku', i.sku, 'available', coalesce(s.available, 0), 'requested', l.quantity) ORDER BY i.sku
  ) INTO v_shortages
  FROM inventory.transfer_line l
  JOIN inventory.stock_item i ON i.merchant_id = l.merchant_id AND i.id = l.stock_item_id
  LEFT JOIN inventory.stock_level s
    ON s.merchant_id = l.merchant_id AND s.stock_item_id = l.stock_item_id AND s.warehouse_id = v_transfer.from_warehouse_id
  WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id AND coalesce(s.available, 0) < l.quantity;
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;

  PERFORM inventory.because('TRANSFER_OUT', 'Sent to another warehouse', 'TRANSFER', p_id, p_principal);
  UPDATE inventory.stock_level s SET available = s.available - l.quantity
  FROM inventory.transfer_line l
  WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id
    AND s.merchant_id = l.merchant_id AND s.stock_item_id = l.stock_item_id AND s.warehouse_id = v_transfer.from_warehouse_id;
  INSERT INTO inventory.incoming_stock (merchant_id, stock_item_id, warehouse_id, transfer_id, quantity, expected_date)
  SELECT p_merchant_id, l.stock_item_id, v_transfer.to_warehouse_id, p_id, l.quantity, v_transfer.expected_date
  FROM inventory.transfer_line l WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id;
  UPDATE inventory.transfer t SET status = p_to, shipped_at = now() WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END
$$;

-- Goods arrive: p_lines of them, or all that is awaited when it is NULL. The transfer is then p_part, or p_all.
-- {outcome: 'changed', transferId} | {outcome: 'invalid', refusals: [{field, reason, awaited?}]} | what lock_transfer says
CREATE FUNCTION inventory.receive_transfer(
  p_merchant_id uuid,
  p_id uuid,
  p_lines jsonb,
  p_from text[],
  p_part text,
  p_all text,
  p_principal text
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_transfer(p_merchant_id, p_id, p_from);
  v_refusal jsonb;
  v_arrived record;
  v_complete boolean;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  SELECT jsonb_agg(
    CASE
      WHEN n.id IS NULL THEN jsonb_build_object('field', format('lines.%s.sku', l.position), 'reason', 'not_in_transfer')
      ELSE jsonb_build_object(
        'field', format('lines.%s.quantity', l.position), 'reason', 'too_many', 'awaited', coalesce(n.awaited, 0)
      )
    END
    ORDER BY l.position
  ) INTO v_refusal
  FROM inventory.transfer_lines(p_merchant_id, p_lines) l
  LEFT JOIN inventory.incoming_stock n
    ON n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.stock_item_id = l.stock_item_id
  WHERE l.quantity > coalesce(n.awaited, 0);
  IF v_refusal IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusal);
  END IF;

  PERFORM inventory.lock_levels(p_merchant_id, ARRAY(
    SELECT l.stock_item_id FROM inventory.transfer_line l WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id
  ));
  FOR v_arrived IN
    SELECT n AS incoming, coalesce(l.quantity, n.awaited)::integer AS quantity
    FROM inventory.incoming_stock n
    LEFT JOIN inventory.transfer_lines(p_merchant_id, p_lines) l ON l.stock_item_id = n.stock_item_id
    WHERE n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.awaited IS NOT NULL
      AND (p_lines IS NULL OR l.quantity IS NOT NULL)
    ORDER BY n.stock_item_id
  LOOP
    PERFORM inventory.shelve(v_arrived.incoming, v_arrived.quantity, p_principal);
  END LOOP;
  v_complete := NOT EXISTS (
    SELECT FROM inventory.incoming_stock n WHERE n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.awaited IS NOT NULL
  );
  UPDATE inventory.transfer t
  SET status = CASE WHEN v_complete THEN p_all ELSE p_part END, received_at = CASE WHEN v_complete THEN now() END
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END
$$;

-- Calls a transfer off. What is still on its way goes back to where it came from.
-- {outcome: 'changed', transferId} | what lock_transfer says
CREATE FUNCTION inventory.cancel_transfer(p_merchant_id uuid, p_id uuid, p_from text[], p_to text, p_principal text) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_transfer(p_merchant_id, p_id, p_from);
  v_transfer inventory.transfer := v_locked.transfer;
BEGIN
  IF v_locked.refusal IS NOT NULL THEN
    RETURN v_locked.refusal;
  END IF;
  PERFORM inventory.lock_levels(p_merchant_id, ARRAY(
    SELECT l.stock_item_id FROM inventory.transfer_line l WHERE l.merchant_id = p_merchant_id AND l.transfer_id = p_id
  ));
  PERFORM inventory.because('TRANSFER_IN', 'The transfer was cancelled', 'TRANSFER', p_id, p_principal);
  UPDATE inventory.stock_level s SET available = s.available + n.awaited
  FROM inventory.incoming_stock n
  WHERE n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.awaited IS NOT NULL
    AND s.merchant_id = n.merchant_id AND s.stock_item_id = n.stock_item_id AND s.warehouse_id = v_transfer.from_warehouse_id;
  UPDATE inventory.incoming_stock n SET cancelled_at = now()
  WHERE n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.awaited IS NOT NULL;
  UPDATE inventory.transfer t SET status = p_to, cancelled_at = now() WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END
$$;

-- When a SKU's stock is low. p_threshold NULL: the merchant's default.
-- {outcome: 'changed', stockItemId} | {outcome: 'unknown_sku'}
CREATE FUNCTION inventory.set_low_stock_threshold(p_merchant_id uuid, p_sku text, p_threshold integer) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_stock_item_id uuid;
BEGIN
  UPDATE inventory.stock_item i SET low_stock_threshold = p_threshold
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku
  RETURNING i.id INTO v_stock_item_id;
  RETURN CASE
    WHEN v_stock_item_id IS NULL THEN jsonb_build_object('outcome', 'unknown_sku')
    ELSE jsonb_build_object('outcome', 'changed', 'stockItemId', v_stock_item_id)
  END;
END
$$;
