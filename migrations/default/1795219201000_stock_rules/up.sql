-- The rules of stock as functions, so that a decision about stock and its effect are one round trip and one
-- transaction.
--
-- Locks are always taken in this order: cart, order, payment, reservation, stock levels by (stock_item_id, warehouse_id),
-- order number counter, products by id. Nothing waits for a lock that stands earlier in the list, so nothing can
-- deadlock. The one exception, other carts' expired reservations, is taken with SKIP LOCKED, which never waits.

-- Why stock moves is said beforehand, by inventory.because: the ledger (stock_ledger) writes the rest by itself.

-- Locks every level of the given stock items, in the one order that all callers share.
CREATE FUNCTION inventory.lock_levels(p_merchant_id uuid, p_stock_item_ids uuid[]) RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM FROM inventory.stock_level l
  WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = ANY (p_stock_item_ids)
  ORDER BY l.stock_item_id, l.warehouse_id
  FOR NO KEY UPDATE;
END
$$;

CREATE FUNCTION inventory.held_stock_items(p_merchant_id uuid, p_reservation_ids uuid[]) RETURNS uuid[]
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(array_agg(DISTINCT h.stock_item_id), '{}')
  FROM inventory.reservation_line h
  WHERE h.merchant_id = p_merchant_id AND h.reservation_id = ANY (p_reservation_ids)
$$;

-- Gives back what reservations hold and moves them to p_status (RELEASED or EXPIRED). The caller has locked the
-- reservations and seen that their status allows it; that is what makes it happen once.
CREATE FUNCTION inventory.give_back(p_merchant_id uuid, p_reservation_ids uuid[], p_status text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation;
BEGIN
  PERFORM inventory.lock_levels(p_merchant_id, inventory.held_stock_items(p_merchant_id, p_reservation_ids));
  -- One after the other, so that the ledger tells whose stock came back.
  FOR v_reservation IN
    SELECT * FROM inventory.reservation r WHERE r.merchant_id = p_merchant_id AND r.id = ANY (p_reservation_ids) ORDER BY r.id
  LOOP
    PERFORM inventory.because_of_reservation(
      v_reservation.id, v_reservation.order_id,
      CASE p_status WHEN 'EXPIRED' THEN 'The reservation expired' ELSE 'The reservation was released' END
    );
    UPDATE inventory.stock_level l
    SET available = l.available + h.quantity, reserved = l.reserved - h.quantity
    FROM inventory.reservation_line h
    WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
      AND l.merchant_id = h.merchant_id AND l.stock_item_id = h.stock_item_id AND l.warehouse_id = h.warehouse_id;
  END LOOP;
  UPDATE inventory.reservation r SET status = p_status
  WHERE r.merchant_id = p_merchant_id AND r.id = ANY (p_reservation_ids);
END
$$;

-- Locks up to p_limit expired reservations that no order has taken over. An order's reservation ends with the order
-- instead (ordering.lapse_unpaid_orders), because a payment for it may be under way.
CREATE FUNCTION inventory.lock_expired(p_merchant_id uuid, p_limit integer) RETURNS uuid[]
LANGUAGE sql VOLATILE
AS $$
  SELECT ARRAY(
    SELECT r.id FROM inventory.reservation r
    WHERE r.merchant_id = p_merchant_id AND r.status = 'ACTIVE' AND r.order_id IS NULL AND r.expires_at <= now()
    ORDER BY r.expires_at
    LIMIT p_limit
    FOR UPDATE SKIP LOCKED
  )
$$;

-- The job's half of expiry. Returns how many reservations it ended; fewer than p_limit means that it is done.
CREATE FUNCTION inventory.expire_reservations(p_merchant_id uuid, p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_expired uuid[] := inventory.lock_expired(p_merchant_id, p_limit);
BEGIN
  PERFORM inventory.give_back(p_merchant_id, v_expired, 'EXPIRED');
  RETURN cardinality(v_expired);
END
$$;

-- Makes a reservation hold exactly p_quantities of p_stock_item_ids (each item once), all or nothing: it takes what
-- is missing, gives back what is too much, from the active warehouses by priority. Creates the reservation when it
-- doesn't exist; the caller has locked it when it does.
-- Returns NULL when it holds, else every shortage in the order asked and nothing has changed.
CREATE FUNCTION inventory.hold(
  p_merchant_id uuid,
  p_reservation_id uuid,
  p_order_id uuid,
  p_expires_at timestamptz,
  p_stock_item_ids uuid[],
  p_quantities integer[]
) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_expired uuid[];
  v_own_items uuid[] := inventory.held_stock_items(p_merchant_id, ARRAY[p_reservation_id]);
  v_shortages jsonb;
BEGIN
  -- Expiry is checked at use too: stock that a job hasn't fetched back yet can be sold all the same.
  v_expired := inventory.lock_expired(p_merchant_id, 20);
  v_expired := array_remove(v_expired, p_reservation_id);
  PERFORM inventory.lock_levels(
    p_merchant_id,
    p_stock_item_ids || v_own_items || inventory.held_stock_items(p_merchant_id, v_expired)
  );
  IF cardinality(v_expired) > 0 THEN
    PERFORM inventory.give_back(p_merchant_id, v_expired, 'EXPIRED');
  END IF;

  -- What the reservation itself holds counts as available to it.
  SELECT jsonb_agg(
    jsonb_build_object('stockItemId', w.stock_item_id, 'sku', i.sku, 'available', c.capacity, 'requested', w.quantity)
    ORDER BY w.position
  )
  INTO v_shortages
  FROM unnest(p_stock_item_ids, p_quantities) WITH ORDINALITY AS w(stock_item_id, quantity, position)
  JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.id = w.stock_item_id
  CROSS JOIN LATERAL (
    SELECT coalesce(sum(CASE WHEN p.active THEN l.available ELSE 0 END + coalesce(h.quantity, 0)), 0) AS capacity
    FROM inventory.stock_level l
    JOIN inventory.warehouse p ON p.merchant_id = l.merchant_id AND p.id = l.warehouse_id
    LEFT JOIN inventory.reservation_line h
      ON h.merchant_id = l.merchant_id AND h.reservation_id = p_reservation_id
      AND h.stock_item_id = l.stock_item_id AND h.warehouse_id = l.warehouse_id
    WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = w.stock_item_id
  ) c
  WHERE c.capacity < w.quantity;
  IF v_shortages IS NOT NULL THEN
    RETURN v_shortages;
  END IF;

  INSERT INTO inventory.reservation AS r (merchant_id, id, order_id, expires_at)
  VALUES (p_merchant_id, p_reservation_id, p_order_id, p_expires_at)
  ON CONFLICT (merchant_id, id) DO UPDATE SET order_id = excluded.order_id, expires_at = excluded.expires_at;

  PERFORM inventory.because_of_reservation(p_reservation_id, p_order_id, NULL);
  WITH place AS (
    SELECT
      l.stock_item_id,
      l.warehouse_id,
      p.priority,
      coalesce(h.quantity, 0) AS held,
      CASE WHEN p.active THEN l.available ELSE 0 END + coalesce(h.quantity, 0) AS capacity
    FROM inventory.stock_level l
    JOIN inventory.warehouse p ON p.merchant_id = l.merchant_id AND p.id = l.warehouse_id
    LEFT JOIN inventory.reservation_line h
      ON h.merchant_id = l.merchant_id AND h.reservation_id = p_reservation_id
      AND h.stock_item_id = l.stock_item_id AND h.warehouse_id = l.warehouse_id
    WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = ANY (p_stock_item_ids || v_own_items)
  ),
  -- Each place gives what it has, until the places before it have given enough.
  allocation AS (
    SELECT
      place.stock_item_id,
      place.warehouse_id,
      place.held,
      least(
        place.capacity,
        greatest(0, coalesce(w.quantity, 0) - coalesce(sum(place.capacity) OVER before, 0))
      )::integer AS quantity
    FROM place
    LEFT JOIN unnest(p_stock_item_ids, p_quantities) AS w(stock_item_id, quantity) ON w.stock_item_id = place.stock_item_id
    WINDOW before AS (
      PARTITION BY place.stock_item_id ORDER BY place.priority, place.warehouse_id
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    )
  ),
  moved AS (
    UPDATE inventory.stock_level l
    SET available = l.available + a.held - a.quantity, reserved = l.reserved + a.quantity - a.held
    FROM allocation a
    WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = a.stock_item_id AND l.warehouse_id = a.warehouse_id
      AND a.held <> a.quantity
  ),
  dropped AS (
    DELETE FROM inventory.reservation_line h
    USING allocation a
    WHERE h.merchant_id = p_merchant_id AND h.reservation_id = p_reservation_id
      AND h.stock_item_id = a.stock_item_id AND h.warehouse_id = a.warehouse_id AND a.quantity = 0
  )
  INSERT INTO inventory.reservation_line AS h (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
  SELECT p_merchant_id, p_reservation_id, a.stock_item_id, a.warehouse_id, a.quantity
  FROM allocation a
  WHERE a.quantity > 0
  ON CONFLICT (merchant_id, reservation_id, stock_item_id, warehouse_id) DO UPDATE SET quantity = excluded.quantity;
  RETURN NULL;
END
$$;

-- Reserves stock by SKU for p_seconds. The same SKU twice is one line of the sum.
-- {outcome: 'reserved', reservationId, expiresAt, items: [{sku, quantity, reserved}]}
-- {outcome: 'insufficient', shortages: [{sku, available, requested}]}
-- {outcome: 'unknown_sku', positions: [0-based]}
CREATE FUNCTION inventory.reserve(p_merchant_id uuid, p_skus text[], p_quantities integer[], p_seconds integer) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation_id uuid := platform.uuid_v7();
  v_expires_at timestamptz := now() + make_interval(secs => p_seconds);
  v_stock_item_ids uuid[];
  v_quantities integer[];
  v_unknown jsonb;
  v_items jsonb;
  v_shortages jsonb;
BEGIN
  SELECT jsonb_agg(w.position - 1 ORDER BY w.position) INTO v_unknown
  FROM unnest(p_skus) WITH ORDINALITY AS w(sku, position)
  WHERE NOT EXISTS (SELECT FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = w.sku);
  IF v_unknown IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'unknown_sku', 'positions', v_unknown);
  END IF;

  SELECT
    array_agg(m.id ORDER BY m.position),
    array_agg(m.quantity ORDER BY m.position),
    jsonb_agg(jsonb_build_object('sku', m.sku, 'quantity', m.quantity, 'reserved', m.quantity) ORDER BY m.position)
  INTO v_stock_item_ids, v_quantities, v_items
  FROM (
    SELECT i.id, i.sku, sum(w.quantity)::integer AS quantity, min(w.position) AS position
    FROM unnest(p_skus, p_quantities) WITH ORDINALITY AS w(sku, quantity, position)
    JOIN inventory.stock_item i ON i.merchant_id = p_merchant_id AND i.sku = w.sku
    GROUP BY i.id, i.sku
  ) m;

  v_shortages := inventory.hold(p_merchant_id, v_reservation_id, NULL, v_expires_at, v_stock_item_ids, v_quantities);
  IF v_shortages IS NOT NULL THEN
    RETURN jsonb_build_object('outcome', 'insufficient', 'shortages', v_shortages);
  END IF;
  RETURN jsonb_build_object(
    'outcome', 'reserved', 'reservationId', v_reservation_id, 'expiresAt', v_expires_at, 'items', v_items
  );
END
$$;

-- Ends a reservation that no order has taken over.
-- {outcome: 'released'} | {outcome: 'unknown'} | {outcome: 'belongs_to_order', orderId} | {outcome: 'refused', status}
CREATE FUNCTION inventory.release(p_merchant_id uuid, p_reservation_id uuid, p_from text[]) RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation;
BEGIN
  SELECT * INTO v_reservation FROM inventory.reservation r
  WHERE r.merchant_id = p_merchant_id AND r.id = p_reservation_id FOR UPDATE;
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
END
$$;

-- An order's reservation: the one that is not over. Locked.
CREATE FUNCTION inventory.lock_reservation_of_order(p_merchant_id uuid, p_order_id uuid) RETURNS inventory.reservation
LANGUAGE sql VOLATILE
AS $$
  SELECT r.* FROM inventory.reservation r
  WHERE r.merchant_id = p_merchant_id AND r.order_id = p_order_id AND r.status IN ('ACTIVE', 'COMMITTED')
  FOR UPDATE
$$;

-- The order is paid: its stock is its own and doesn't expire any more.
CREATE FUNCTION inventory.commit_reservation(p_merchant_id uuid, p_order_id uuid) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  UPDATE inventory.reservation r SET status = 'COMMITTED'
  WHERE r.merchant_id = p_merchant_id AND r.order_id = p_order_id AND r.status = 'ACTIVE'
$$;

-- The goods have left the shelf.
CREATE FUNCTION inventory.consume_reservation(p_merchant_id uuid, p_order_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
BEGIN
  IF v_reservation.status IS DISTINCT FROM 'COMMITTED' THEN
    RAISE EXCEPTION 'order % has no committed reservation to ship from', p_order_id;
  END IF;
  PERFORM inventory.lock_levels(p_merchant_id, inventory.held_stock_items(p_merchant_id, ARRAY[v_reservation.id]));
  PERFORM inventory.because_of_reservation(v_reservation.id, p_order_id, NULL);
  UPDATE inventory.stock_level l
  SET reserved = l.reserved - h.quantity, last_sold_at = now()
  FROM inventory.reservation_line h
  WHERE h.merchant_id = p_merchant_id AND h.reservation_id = v_reservation.id
    AND l.merchant_id = h.merchant_id AND l.stock_item_id = h.stock_item_id AND l.warehouse_id = h.warehouse_id;
  UPDATE inventory.reservation r SET status = 'CONSUMED' WHERE r.merchant_id = p_merchant_id AND r.id = v_reservation.id;
END
$$;

-- Gives back the stock of an order that is over, whichever stage it reached.
CREATE FUNCTION inventory.release_reservation_of_order(p_merchant_id uuid, p_order_id uuid, p_status text) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_reservation inventory.reservation := inventory.lock_reservation_of_order(p_merchant_id, p_order_id);
BEGIN
  IF v_reservation.id IS NOT NULL THEN
    PERFORM inventory.give_back(p_merchant_id, ARRAY[v_reservation.id], p_status);
  END IF;
END
$$;

-- What is wrong with the place of a change: [{field, reason: 'unknown_sku' | 'unknown_warehouse' | 'no_warehouse'}].
CREATE FUNCTION inventory.place_refusals(p_merchant_id uuid, p_sku text, p_warehouse_id uuid) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', r.field, 'reason', r.reason)), '[]')
  FROM (
    SELECT 'sku' AS field, 'unknown_sku' AS reason
    WHERE NOT EXISTS (SELECT FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku)
    UNION ALL
    SELECT 'warehouseId', CASE WHEN p_warehouse_id IS NULL THEN 'no_warehouse' ELSE 'unknown_warehouse' END
    WHERE NOT EXISTS (
      SELECT FROM inventory.warehouse w
      WHERE w.merchant_id = p_merchant_id AND CASE WHEN p_warehouse_id IS NULL THEN w.active ELSE w.id = p_warehouse_id END
    )
  ) r
$$;

-- Why no stock can come in under a SKU, as place_refusals says it: it is the own one of a product that has variants.
-- What is there already may go.
CREATE FUNCTION inventory.intake_refusals(p_merchant_id uuid, p_sku text) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(jsonb_agg(jsonb_build_object('field', 'sku', 'reason', 'has_variants')), '[]')
  FROM inventory.stock_item i
  WHERE i.merchant_id = p_merchant_id AND i.sku = p_sku AND i.variant_id IS NULL
    AND catalog.has_variants(i.merchant_id, i.product_id)
$$;

-- The level of a stock item in a warehouse, locked; made where there is none yet.
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
  SELECT * INTO v_level FROM inventory.stock_level l
  WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = p_stock_item_id AND l.warehouse_id = p_warehouse_id
  FOR NO KEY UPDATE;
  RETURN v_level;
END
$$;

-- The warehouse, or without one the active one that reservations take from first.
CREATE FUNCTION inventory.warehouse_or_first(p_merchant_id uuid, p_warehouse_id uuid) RETURNS uuid
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(p_warehouse_id, (
    SELECT w.id FROM inventory.warehouse w WHERE w.merchant_id = p_merchant_id AND w.active
    ORDER BY w.priority, w.id
    LIMIT 1
  ))
$$;

-- Sets a level to p_available, or moves it by p_delta; exactly one of the two is given.
-- {outcome: 'changed', stockItemId} | {outcome: 'invalid', refusals: [{field, reason}]} |
-- {outcome: 'out_of_range', available, max}
CREATE FUNCTION inventory.change_level(
  p_merchant_id uuid,
  p_sku text,
  p_warehouse_id uuid,
  p_available integer,
  p_delta integer,
  p_reason text,
  p_principal text
) RETURNS jsonb
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
  IF v_available NOT BETWEEN 0 AND c_max THEN
    RETURN jsonb_build_object('outcome', 'out_of_range', 'available', v_level.available, 'max', c_max);
  END IF;
  IF v_available > v_level.available THEN
    v_refusals := inventory.intake_refusals(p_merchant_id, p_sku);
    IF v_refusals <> '[]' THEN
      RETURN jsonb_build_object('outcome', 'invalid', 'refusals', v_refusals);
    END IF;
  END IF;

  PERFORM inventory.because(
    CASE WHEN p_available IS NULL THEN 'ADJUSTMENT' ELSE 'STOCKTAKE' END, p_reason, NULL, NULL, p_principal
  );
  UPDATE inventory.stock_level l
  SET
    available = v_available,
    last_restocked_at = CASE WHEN v_available > l.available THEN now() ELSE l.last_restocked_at END
  WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = v_level.stock_item_id AND l.warehouse_id = v_level.warehouse_id;
  RETURN jsonb_build_object('outcome', 'changed', 'stockItemId', v_level.stock_item_id);
END
$$;
