CREATE FUNCTION inventory.lock_levels(p_merchant_id uuid, p_stock_item_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM inventory.stock_level l
  WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = ANY (p_stock_item_ids)
  ORDER BY l.stock_item_id, l.warehouse_id
  FOR NO KEY UPDATE;
END;
$$;

CREATE FUNCTION inventory.lock_items(p_merchant_id uuid, p_stock_item_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM inventory.stock_item i
  WHERE i.merchant_id = p_merchant_id AND i.id = ANY (p_stock_item_ids)
  ORDER BY i.id
  FOR NO KEY UPDATE;
END;
$$;

-- The item, if there was plenty of it and so many units in a warehouse alone keep it from being low. It returns a set,
-- because Postgres makes those a part of the statement that calls it.
CREATE FUNCTION inventory.plentiful_item(
  p_merchant_id uuid,
  p_stock_item_id uuid,
  p_warehouse_id uuid,
  p_available integer
)
RETURNS SETOF uuid
LANGUAGE sql
STABLE
AS $$
  SELECT i.id
  FROM
    inventory.stock_item i
    JOIN inventory.warehouse w ON w.merchant_id = i.merchant_id AND w.id = p_warehouse_id AND w.active
    JOIN merchant.settings s ON s.merchant_id = i.merchant_id
  WHERE
    i.merchant_id = p_merchant_id
    AND i.id = p_stock_item_id
    AND i.in_stock
    AND NOT i.needs_restock
    AND p_available > coalesce(i.low_stock_threshold, s.low_stock_threshold);
$$;

CREATE FUNCTION inventory.lock_stock_of_products(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_ids uuid[] := ARRAY(
    SELECT i.id FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.product_id = ANY (p_product_ids)
  );
BEGIN
  PERFORM inventory.lock_levels(p_merchant_id, v_ids);
  PERFORM inventory.lock_items(p_merchant_id, v_ids);
END;
$$;

-- Writes to products whether an item of theirs is in stock. A transaction calls it after it has changed that of an
-- item. The products are locked first: of two such transactions, the later one sees the other's items.
--
-- An edit locks a product before its levels, an order a level before its products. So this waits for a product for less
-- time than edits wait for levels (inventory.keep_stock_item_of_product), and then leaves it to
-- inventory.settle_products.
CREATE FUNCTION inventory.keep_products_in_stock(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
SET lock_timeout = '100ms'
AS $$
BEGIN
  BEGIN
    PERFORM
    FROM catalog.product p
    WHERE p.merchant_id = p_merchant_id AND p.id = ANY (p_product_ids)
    ORDER BY p.id
    FOR NO KEY UPDATE;
  EXCEPTION WHEN lock_not_available THEN
    INSERT INTO inventory.unsettled_product (merchant_id, product_id) SELECT p_merchant_id, unnest(p_product_ids);
    RETURN;
  END;
  PERFORM inventory.write_products_in_stock(p_merchant_id, p_product_ids);
END;
$$;

-- For the caller that has locked the products.
CREATE FUNCTION inventory.write_products_in_stock(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE catalog.product p
  SET in_stock = NOT p.in_stock
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id = ANY (p_product_ids)
    AND p.in_stock <> EXISTS (
      SELECT FROM inventory.stock_item i WHERE i.merchant_id = p.merchant_id AND i.product_id = p.id AND i.in_stock
    );
END;
$$;

-- Writes what inventory.keep_products_in_stock had to leave, of a merchant's products that are free now.
--
-- answers: integer
CREATE FUNCTION inventory.settle_products(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_product_ids uuid[] := ARRAY(
    SELECT p.id
    FROM catalog.product p
    WHERE
      p.merchant_id = p_merchant_id
      AND p.id IN (SELECT u.product_id FROM inventory.unsettled_product u WHERE u.merchant_id = p_merchant_id)
    ORDER BY p.id
    LIMIT p_limit
    FOR NO KEY UPDATE SKIP LOCKED
  );
BEGIN
  -- The transactions that added these rows have ended, so the next statement sees their items.
  DELETE FROM inventory.unsettled_product u
  WHERE
    u.merchant_id = p_merchant_id
    AND (
      u.product_id = ANY (v_product_ids)
      OR NOT EXISTS (SELECT FROM catalog.product p WHERE p.merchant_id = u.merchant_id AND p.id = u.product_id)
    );
  PERFORM inventory.write_products_in_stock(p_merchant_id, v_product_ids);
  RETURN cardinality(v_product_ids);
END;
$$;

-- Writes what inventory.item_standing says of stock items to them. A transaction calls it after a change of anything
-- that the view reads. The items are locked first: of two such transactions, the later one sees the other's changes.
CREATE FUNCTION inventory.keep_standing(p_merchant_id uuid, p_stock_item_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_product_ids uuid[];
BEGIN
  PERFORM inventory.lock_items(p_merchant_id, p_stock_item_ids);
  WITH
    standing AS MATERIALIZED (
      SELECT s.*, i.product_id, s.in_stock <> i.in_stock AS turns
      FROM
        inventory.stock_item i
        JOIN inventory.item_standing s ON s.merchant_id = i.merchant_id AND s.stock_item_id = i.id
      WHERE
        i.merchant_id = p_merchant_id
        AND i.id = ANY (p_stock_item_ids)
        AND (i.is_sellable, i.in_stock, i.needs_restock) IS DISTINCT FROM (s.is_sellable, s.in_stock, s.needs_restock)
    ),
    written AS (
      UPDATE inventory.stock_item i
      SET
        is_sellable = s.is_sellable,
        in_stock = s.in_stock,
        needs_restock = s.needs_restock
      FROM standing s
      WHERE i.merchant_id = p_merchant_id AND i.id = s.stock_item_id
    )
  SELECT array_agg(DISTINCT s.product_id)
  INTO v_product_ids
  FROM standing s
  WHERE s.turns;
  IF v_product_ids IS NOT NULL THEN
    PERFORM inventory.keep_products_in_stock(p_merchant_id, v_product_ids);
  END IF;
END;
$$;

CREATE FUNCTION inventory.items_of_product(p_merchant_id uuid, p_product_id uuid)
RETURNS uuid[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    ARRAY(SELECT i.id FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.product_id = p_product_id);
$$;

CREATE FUNCTION inventory.held_stock_items(p_merchant_id uuid, p_reservation_ids uuid[])
RETURNS uuid[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(DISTINCT h.stock_item_id), '{}')
  FROM inventory.reservation_line h
  WHERE h.merchant_id = p_merchant_id AND h.reservation_id = ANY (p_reservation_ids);
$$;

CREATE FUNCTION inventory.give_back(p_merchant_id uuid, p_reservation_ids uuid[], p_status text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation;
BEGIN
  PERFORM inventory.lock_levels(p_merchant_id, inventory.held_stock_items(p_merchant_id, p_reservation_ids));
  -- One after the other, so that the ledger tells whose stock came back.
  FOR v_reservation IN SELECT *
  FROM inventory.reservation r
  WHERE r.merchant_id = p_merchant_id AND r.id = ANY (p_reservation_ids)
  ORDER BY r.id LOOP
    PERFORM
      inventory.because_of_reservation(
        v_reservation.id,
        v_reservation.order_id,
        CASE p_status
          WHEN 'EXPIRED' THEN 'The reservation expired'
          ELSE 'The reservation was released'
        END
      );
    UPDATE inventory.stock_level l
    SET
      available = l.available + h.quantity,
      reserved = l.reserved - h.quantity
    FROM inventory.reservation_line h
    WHERE
      h.merchant_id = p_merchant_id
      AND h.reservation_id = v_reservation.id
      AND l.merchant_id = h.merchant_id
      AND l.stock_item_id = h.stock_item_id
      AND l.warehouse_id = h.warehouse_id;
  END LOOP;
  UPDATE inventory.reservation r
  SET status = p_status
  WHERE r.merchant_id = p_merchant_id AND r.id = ANY (p_reservation_ids);
END;
$$;

CREATE FUNCTION inventory.lock_expired(p_merchant_id uuid, p_limit integer)
RETURNS uuid[]
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    ARRAY(
      SELECT r.id
      FROM inventory.reservation r
      WHERE r.merchant_id = p_merchant_id AND r.status = 'ACTIVE' AND r.order_id IS NULL AND r.expires_at <= now()
      ORDER BY r.expires_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    );
$$;

-- answers: integer
CREATE FUNCTION inventory.expire_reservations(p_merchant_id uuid, p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_expired uuid[] := inventory.lock_expired(p_merchant_id, p_limit);
BEGIN
  PERFORM inventory.give_back(p_merchant_id, v_expired, 'EXPIRED');
  RETURN cardinality(v_expired);
END;
$$;

-- answers:
--   released {}
--   | unknown {}
--   | belongs_to_order {orderId: uuid}
--   | refused {status: inventory.reservation.status}
CREATE FUNCTION inventory.release(p_merchant_id uuid, p_reservation_id uuid, p_from text[])
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation;
BEGIN
  SELECT *
  INTO v_reservation
  FROM inventory.reservation r
  WHERE r.merchant_id = p_merchant_id AND r.id = p_reservation_id
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF v_reservation.order_id IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'belongs_to_order', 'orderId', v_reservation.order_id);
  END IF;
  IF NOT v_reservation.status = ANY (p_from) THEN
    RETURN jsonb_build_object('outcome', 'refused', 'status', v_reservation.status);
  END IF;
  PERFORM inventory.give_back(p_merchant_id, ARRAY[p_reservation_id], 'RELEASED');
  RETURN jsonb_build_object('outcome', 'released');
END;
$$;

CREATE FUNCTION inventory.lock_reservation_of_order(p_merchant_id uuid, p_order_id uuid)
RETURNS inventory.reservation
LANGUAGE sql
VOLATILE
AS $$
  SELECT r.*
  FROM inventory.reservation r
  WHERE r.merchant_id = p_merchant_id AND r.order_id = p_order_id AND r.status IN ('ACTIVE', 'COMMITTED')
  FOR UPDATE;
$$;

CREATE FUNCTION inventory.commit_reservation(p_merchant_id uuid, p_order_id uuid)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  UPDATE inventory.reservation r
  SET status = 'COMMITTED'
  WHERE r.merchant_id = p_merchant_id AND r.order_id = p_order_id AND r.status = 'ACTIVE';
$$;

-- The units leave the shelf: they are shipped, or written off for a reason.
CREATE FUNCTION inventory.consume_reservation(p_merchant_id uuid, p_order_id uuid, p_write_off text DEFAULT NULL)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
BEGIN
  IF v_reservation.status IS DISTINCT FROM 'COMMITTED' THEN
    RAISE EXCEPTION 'order % has no committed reservation to ship from', p_order_id;
  END IF;
  PERFORM inventory.lock_levels(p_merchant_id, inventory.held_stock_items(p_merchant_id, ARRAY[v_reservation.id]));
  IF p_write_off IS NULL THEN
    PERFORM inventory.because_of_reservation(v_reservation.id, p_order_id, NULL);
  ELSE
    PERFORM inventory.because('ADJUSTMENT', p_write_off, 'ORDER', p_order_id, NULL);
  END IF;
  UPDATE inventory.stock_level l
  SET
    reserved = l.reserved - h.quantity,
    last_sold_at = CASE
      WHEN p_write_off IS NULL THEN now()
      ELSE l.last_sold_at
    END
  FROM inventory.reservation_line h
  WHERE
    h.merchant_id = p_merchant_id
    AND h.reservation_id = v_reservation.id
    AND l.merchant_id = h.merchant_id
    AND l.stock_item_id = h.stock_item_id
    AND l.warehouse_id = h.warehouse_id;
  UPDATE inventory.reservation r
  SET status = 'CONSUMED'
  WHERE r.merchant_id = p_merchant_id AND r.id = v_reservation.id;
END;
$$;

CREATE FUNCTION inventory.release_reservation_of_order(p_merchant_id uuid, p_order_id uuid, p_status text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
BEGIN
  IF v_reservation.id IS NOT NULL THEN
    PERFORM inventory.give_back(p_merchant_id, ARRAY[v_reservation.id], p_status);
  END IF;
END;
$$;

CREATE FUNCTION inventory.place_refusals(p_merchant_id uuid, p_sku text, p_warehouse_id uuid)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', r.field, 'reason', r.reason)), '[]')
  FROM
    (
      SELECT 'sku' AS field, 'unknown_sku' AS reason
      WHERE NOT EXISTS (SELECT FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku)
      UNION ALL
      SELECT
        'warehouseId',
        CASE
          WHEN p_warehouse_id IS NULL THEN 'no_warehouse'
          ELSE 'unknown_warehouse'
        END
      WHERE
        NOT EXISTS (
          SELECT
          FROM inventory.warehouse w
          WHERE
            w.merchant_id = p_merchant_id
            AND CASE
              WHEN p_warehouse_id IS NULL THEN w.active
              ELSE w.id = p_warehouse_id
            END
        )
    ) r;
$$;

CREATE FUNCTION inventory.intake_refusals(p_merchant_id uuid, p_sku text)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', 'sku', 'reason', 'has_variants')), '[]')
  FROM inventory.stock_item i
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku AND NOT i.is_sellable;
$$;

CREATE FUNCTION inventory.lock_level(p_merchant_id uuid, p_stock_item_id uuid, p_warehouse_id uuid)
RETURNS inventory.stock_level
LANGUAGE plpgsql
AS $$
DECLARE
  v_level inventory.stock_level;
BEGIN
  INSERT INTO inventory.stock_level (merchant_id, stock_item_id, warehouse_id)
  VALUES (p_merchant_id, p_stock_item_id, p_warehouse_id)
  ON CONFLICT DO NOTHING;
  SELECT *
  INTO v_level
  FROM inventory.stock_level l
  WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = p_stock_item_id AND l.warehouse_id = p_warehouse_id
  FOR NO KEY UPDATE;
  RETURN v_level;
END;
$$;

CREATE FUNCTION inventory.warehouse_or_first(p_merchant_id uuid, p_warehouse_id uuid)
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      p_warehouse_id,
      (
        SELECT w.id
        FROM inventory.warehouse w
        WHERE w.merchant_id = p_merchant_id AND w.active
        ORDER BY w.priority, w.id
        LIMIT 1
      )
    );
$$;

CREATE FUNCTION inventory.because(
  p_kind text,
  p_reason text,
  p_reference_type text,
  p_reference_id uuid,
  p_principal text
)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  SELECT
    set_config(
      'inventory.cause',
      jsonb_build_object(
        'kind',
        p_kind,
        'reason',
        p_reason,
        'referenceType',
        p_reference_type,
        'referenceId',
        p_reference_id,
        'principal',
        p_principal
      )::text,
      TRUE
    );
$$;

-- What a movement of a reservation's units refers to.
CREATE FUNCTION inventory.reference_of_reservation(p_reservation_id uuid, p_order_id uuid)
RETURNS TABLE (reference_type text, reference_id uuid)
LANGUAGE sql
IMMUTABLE
ROWS 1
AS $$
  SELECT
    CASE
      WHEN p_order_id IS NULL THEN 'RESERVATION'
      ELSE 'ORDER'
    END,
    coalesce(p_order_id, p_reservation_id);
$$;

CREATE FUNCTION inventory.because_of_reservation(p_reservation_id uuid, p_order_id uuid, p_reason text)
RETURNS void
LANGUAGE sql
VOLATILE
AS $$
  SELECT inventory.because(NULL, p_reason, r.reference_type, r.reference_id, NULL)
  FROM inventory.reference_of_reservation(p_reservation_id, p_order_id) r;
$$;

CREATE FUNCTION inventory.kind_of_movement(p_on_hand_delta integer, p_reserved_delta integer)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE
      WHEN p_on_hand_delta = 0
      AND p_reserved_delta > 0 THEN 'RESERVATION'
      WHEN p_on_hand_delta = 0 THEN 'RELEASE'
      WHEN p_on_hand_delta < 0
      AND p_on_hand_delta = p_reserved_delta THEN 'SALE'
      ELSE 'ADJUSTMENT'
    END;
$$;

CREATE FUNCTION inventory.reason_of_movement(p_kind text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE p_kind
      WHEN 'OPENING' THEN 'The level was created'
      WHEN 'RESERVATION' THEN 'Stock was reserved'
      WHEN 'RELEASE' THEN 'Reserved stock was given back'
      WHEN 'SALE' THEN 'The goods were shipped'
      ELSE 'The level was changed'
    END;
$$;

-- How movements name who acts in a session.
CREATE FUNCTION inventory.principal_of(p_session jsonb)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    coalesce(
      'customer:' || (p_session ->> 'x-hasura-customer-id'),
      'user:' || (p_session ->> 'x-hasura-user-id'),
      'key:' || (p_session ->> 'x-hasura-key-id')
    );
$$;

CREATE FUNCTION inventory.is_available(p_merchant_id uuid, p_stock_item_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM
        inventory.stock_item i
        JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
      WHERE
        i.merchant_id = p_merchant_id
        AND i.id = p_stock_item_id
        AND i.in_stock
        AND p.status = 'ACTIVE'
        AND p.deleted_at IS NULL
    );
$$;

-- answers:
--   cancelled {alertId: uuid, status: inventory.stock_alert.status}
--   | unknown {}
--   | refused {status: inventory.stock_alert.status}
-- nullable: p_customer_id
CREATE FUNCTION inventory.cancel_stock_alert(
  p_merchant_id uuid,
  p_alert_id uuid,
  p_customer_id uuid,
  p_from text[],
  p_to text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_alert inventory.stock_alert;
BEGIN
  SELECT *
  INTO v_alert
  FROM inventory.stock_alert a
  WHERE a.merchant_id = p_merchant_id AND a.id = p_alert_id AND (p_customer_id IS NULL OR a.customer_id = p_customer_id)
  FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('outcome', 'unknown');
  END IF;
  IF NOT v_alert.status = ANY (p_from) THEN
    RETURN jsonb_build_object('outcome', 'refused', 'status', v_alert.status);
  END IF;
  UPDATE inventory.stock_alert a
  SET
    status = p_to,
    cancelled_at = now()
  WHERE a.merchant_id = p_merchant_id AND a.id = p_alert_id;
  RETURN jsonb_build_object('outcome', 'cancelled', 'alertId', p_alert_id, 'status', p_to);
END;
$$;

CREATE FUNCTION inventory.claim_stock_alerts(p_merchant_id uuid, p_stock_item_id uuid, p_limit integer)
RETURNS SETOF inventory.stock_alert
LANGUAGE sql
VOLATILE
AS $$
  UPDATE inventory.stock_alert a
  SET
    status = 'NOTIFIED',
    notified_at = now()
  WHERE
    (a.merchant_id, a.id) IN (
      SELECT x.merchant_id, x.id
      FROM inventory.stock_alert x
      WHERE
        x.merchant_id = p_merchant_id
        AND x.stock_item_id = p_stock_item_id
        AND x.status = 'PENDING'
        AND inventory.is_available(p_merchant_id, p_stock_item_id)
      ORDER BY x.created_at
      LIMIT p_limit
      FOR UPDATE SKIP LOCKED
    )
  RETURNING *;
$$;

-- answers: rows {merchant_id: uuid, stock_item_id: uuid}
CREATE FUNCTION inventory.stock_items_back(p_limit integer)
RETURNS TABLE (merchant_id uuid, stock_item_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT DISTINCT a.merchant_id, a.stock_item_id
  FROM inventory.stock_alert a
  WHERE a.status = 'PENDING' AND inventory.is_available(a.merchant_id, a.stock_item_id)
  LIMIT p_limit;
$$;

CREATE FUNCTION inventory.shelve(p_incoming inventory.incoming_stock, p_quantity integer, p_principal text)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_level inventory.stock_level := inventory.lock_level(
    p_incoming.merchant_id,
    p_incoming.stock_item_id,
    p_incoming.warehouse_id
  );
BEGIN
  IF p_incoming.transfer_id IS NULL THEN
    PERFORM
      inventory.because(
        'ARRIVAL',
        coalesce('Arrived: ' || p_incoming.reference, 'Arrived'),
        'INCOMING_STOCK',
        p_incoming.id,
        p_principal
      );
  ELSE
    PERFORM
      inventory.because(
        'TRANSFER_IN',
        'Arrived from another warehouse',
        'TRANSFER',
        p_incoming.transfer_id,
        p_principal
      );
  END IF;
  UPDATE inventory.stock_level l
  SET
    available = l.available + p_quantity,
    last_restocked_at = now()
  WHERE
    l.merchant_id = v_level.merchant_id
    AND l.stock_item_id = v_level.stock_item_id
    AND l.warehouse_id = v_level.warehouse_id;
  UPDATE inventory.incoming_stock n
  SET
    received_quantity = n.received_quantity + p_quantity,
    received_at = CASE
      WHEN n.received_quantity + p_quantity = n.quantity THEN now()
      ELSE n.received_at
    END
  WHERE n.merchant_id = p_incoming.merchant_id AND n.id = p_incoming.id;
END;
$$;

-- answers: changed {incomingStockId: uuid} | invalid {refusals: inventory.place_refusal[]}
-- nullable: p_warehouse_id, p_expected_date, p_reference
CREATE FUNCTION inventory.expect_stock(
  p_merchant_id uuid,
  p_sku text,
  p_warehouse_id uuid,
  p_quantity integer,
  p_expected_date date,
  p_reference text
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_refusals jsonb := inventory.place_refusals(p_merchant_id, p_sku, p_warehouse_id) || inventory.intake_refusals(
    p_merchant_id,
    p_sku
  );
  v_id uuid := platform.uuid_v7();
BEGIN
  IF v_refusals <> '[]' THEN
    RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
  END IF;
  INSERT INTO inventory.incoming_stock
    (merchant_id, id, stock_item_id, warehouse_id, quantity, expected_date, reference)
  SELECT
    p_merchant_id,
    v_id,
    i.id,
    inventory.warehouse_or_first(p_merchant_id, p_warehouse_id),
    p_quantity,
    p_expected_date,
    p_reference
  FROM inventory.stock_item i
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku;
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', v_id);
END;
$$;

-- type inventory.arrival_stays = unknown {} | belongs_to_transfer {transferId: uuid} | refused {status: text}
CREATE FUNCTION inventory.lock_awaited(
  p_merchant_id uuid,
  p_id uuid,
  OUT incoming inventory.incoming_stock,
  OUT refusal jsonb
)
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT * INTO incoming FROM inventory.incoming_stock n WHERE n.merchant_id = p_merchant_id AND n.id = p_id FOR UPDATE;
  refusal := CASE
    WHEN NOT FOUND THEN jsonb_build_object('outcome', 'unknown')
    WHEN incoming.transfer_id IS NOT NULL THEN jsonb_build_object(
      'outcome',
      'belongs_to_transfer',
      'transferId',
      incoming.transfer_id
    )
    WHEN incoming.awaited IS NULL THEN jsonb_build_object('outcome', 'refused', 'status', incoming.status)
  END;
END;
$$;

-- answers: changed {incomingStockId: uuid} | inventory.arrival_stays | too_few {received: integer}
CREATE FUNCTION inventory.change_incoming_stock(p_merchant_id uuid, p_id uuid, p_changes jsonb)
RETURNS jsonb
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
    received_at = CASE
      WHEN (p_changes ->> 'quantity')::integer = n.received_quantity THEN now()
      ELSE n.received_at
    END,
    expected_date = CASE
      WHEN p_changes ? 'expectedDate' THEN (p_changes ->> 'expectedDate')::date
      ELSE n.expected_date
    END,
    reference = CASE
      WHEN p_changes ? 'reference' THEN p_changes ->> 'reference'
      ELSE n.reference
    END
  WHERE n.merchant_id = p_merchant_id AND n.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'incomingStockId', p_id);
END;
$$;

-- answers: changed {incomingStockId: uuid} | inventory.arrival_stays | too_many {awaited: integer}
-- nullable: p_quantity, p_principal
CREATE FUNCTION inventory.receive_incoming_stock(p_merchant_id uuid, p_id uuid, p_quantity integer, p_principal text)
RETURNS jsonb
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
END;
$$;

-- answers: changed {incomingStockId: uuid} | inventory.arrival_stays
CREATE FUNCTION inventory.cancel_incoming_stock(p_merchant_id uuid, p_id uuid)
RETURNS jsonb
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
END;
$$;

CREATE FUNCTION inventory.transfer_lines(p_merchant_id uuid, p_lines jsonb)
RETURNS TABLE ("position" integer, stock_item_id uuid, sku text, quantity bigint)
LANGUAGE sql
STABLE
AS $$
  SELECT min(l.position)::integer - 1, i.id, l.sku, sum(l.quantity)
  FROM
    ROWS FROM (jsonb_to_recordset(p_lines) AS (sku text, quantity integer)) WITH ORDINALITY AS l (
      sku,
      quantity,
      position
    )
    LEFT JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.sku = l.sku
  GROUP BY i.id, l.sku;
$$;

CREATE FUNCTION inventory.transfer_line_refusals(p_merchant_id uuid, p_lines jsonb)
RETURNS jsonb
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      jsonb_agg(
        CASE
          WHEN l.stock_item_id IS NULL THEN jsonb_build_object(
            'field',
            format('lines.%s.sku', l.position),
            'reason',
            'unknown_sku'
          )
          ELSE jsonb_build_object('field', format('lines.%s.quantity', l.position), 'reason', 'quantity_too_large')
        END
        ORDER BY l.position
      ),
      '[]'
    )
  FROM inventory.transfer_lines(p_merchant_id, p_lines) l
  WHERE l.stock_item_id IS NULL OR l.quantity > 999999;
$$;

-- type inventory.transfer_stays = unknown {} | refused {status: inventory.transfer.status}
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
END;
$$;

-- answers: changed {transferId: uuid} | inventory.transfer_stays | invalid {refusals: inventory.transfer_refusal[]}
CREATE FUNCTION inventory.change_transfer(p_merchant_id uuid, p_id uuid, p_changes jsonb, p_from text[])
RETURNS jsonb
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
    SELECT p_merchant_id, p_id, l.stock_item_id, l.quantity
    FROM inventory.transfer_lines(p_merchant_id, p_changes -> 'lines') l;
  END IF;
  UPDATE inventory.transfer t
  SET
    expected_date = CASE
      WHEN p_changes ? 'expectedDate' THEN (p_changes ->> 'expectedDate')::date
      ELSE t.expected_date
    END,
    notes = CASE
      WHEN p_changes ? 'notes' THEN p_changes ->> 'notes'
      ELSE t.notes
    END
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END;
$$;

-- answers: changed {transferId: uuid} | inventory.transfer_stays
-- nullable: p_principal
CREATE FUNCTION inventory.cancel_transfer(p_merchant_id uuid, p_id uuid, p_from text[], p_to text, p_principal text)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_locked record := inventory.lock_transfer(p_merchant_id, p_id, p_from);
  v_transfer inventory.transfer := v_locked.transfer;
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
  PERFORM inventory.because('TRANSFER_IN', 'The transfer was cancelled', 'TRANSFER', p_id, p_principal);
  UPDATE inventory.stock_level s
  SET available = s.available + n.awaited
  FROM inventory.incoming_stock n
  WHERE
    n.merchant_id = p_merchant_id
    AND n.transfer_id = p_id
    AND n.awaited IS NOT NULL
    AND s.merchant_id = n.merchant_id
    AND s.stock_item_id = n.stock_item_id
    AND s.warehouse_id = v_transfer.from_warehouse_id;
  UPDATE inventory.incoming_stock n
  SET cancelled_at = now()
  WHERE n.merchant_id = p_merchant_id AND n.transfer_id = p_id AND n.awaited IS NOT NULL;
  UPDATE inventory.transfer t
  SET
    status = p_to,
    cancelled_at = now()
  WHERE t.merchant_id = p_merchant_id AND t.id = p_id;
  RETURN jsonb_build_object('outcome', 'changed', 'transferId', p_id);
END;
$$;

-- answers: changed {stockItemId: uuid} | unknown_sku {}
-- nullable: p_threshold
CREATE FUNCTION inventory.set_low_stock_threshold(p_merchant_id uuid, p_sku text, p_threshold integer)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_stock_item_id uuid;
BEGIN
  UPDATE inventory.stock_item i
  SET low_stock_threshold = p_threshold
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku
  RETURNING i.id
  INTO v_stock_item_id;
  RETURN CASE
    WHEN v_stock_item_id IS NULL THEN jsonb_build_object('outcome', 'unknown_sku')
    ELSE jsonb_build_object('outcome', 'changed', 'stockItemId', v_stock_item_id)
  END;
END;
$$;

CREATE FUNCTION inventory.shown_quantity(p_merchant_id uuid, p_available integer)
RETURNS integer
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE s.stock_visibility
      WHEN 'EXACT' THEN p_available
      WHEN 'UP_TO_BOUND' THEN least(p_available, s.stock_visibility_bound)
    END
  FROM merchant.settings s
  WHERE s.merchant_id = p_merchant_id;
$$;

-- The warehouse with a code, or without one the first of those that are in use.
CREATE FUNCTION inventory.warehouse_of_import(p_merchant_id uuid, p_code text)
RETURNS uuid
LANGUAGE sql
STABLE
AS $$
  SELECT w.id
  FROM inventory.warehouse w
  WHERE w.merchant_id = p_merchant_id AND (w.code = p_code OR p_code IS NULL AND w.active)
  ORDER BY w.priority, w.id
  LIMIT 1;
$$;
