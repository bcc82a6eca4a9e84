-- type inventory.shortage = {stockItemId: uuid, sku: text, available: integer, requested: integer}
CREATE FUNCTION inventory.hold(
  p_merchant_id uuid,
  p_reservation_id uuid,
  p_order_id uuid,
  p_expires_at timestamptz,
  p_stock_item_ids uuid[],
  p_quantities integer[]
)
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_expired uuid[] := inventory.lock_expired(p_merchant_id, 20);
  v_own_items uuid[] := inventory.held_stock_items(p_merchant_id, ARRAY[p_reservation_id]);
  v_shortages jsonb;
  v_items uuid[];
  v_warehouses uuid[];
  v_held integer[];
  v_allocated integer[];
BEGIN
  -- Expiry is checked at use too: stock that a job hasn't fetched back yet can be sold all the same.
  v_expired := array_remove(v_expired, p_reservation_id);
  -- What others may change under the locks of levels is read after them. Of a new reservation, that is the levels
  -- alone.
  IF v_expired <> '{}' OR v_own_items <> '{}' THEN
    PERFORM
      inventory.lock_levels(
        p_merchant_id,
        p_stock_item_ids || v_own_items || inventory.held_stock_items(p_merchant_id, v_expired)
      );
    PERFORM inventory.give_back(p_merchant_id, v_expired, 'EXPIRED');
  END IF;

  WITH
    -- Two lines of an order may have the same product, with other properties.
    wanted AS (
      SELECT u.stock_item_id, sum(u.quantity) AS quantity, min(u.position) AS position
      FROM unnest(p_stock_item_ids, p_quantities) WITH ORDINALITY AS u (stock_item_id, quantity, position)
      GROUP BY u.stock_item_id
    ),
    level AS MATERIALIZED (
      SELECT l.stock_item_id, l.warehouse_id, l.available
      FROM inventory.stock_level l
      WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = ANY (p_stock_item_ids || v_own_items)
      ORDER BY l.stock_item_id, l.warehouse_id
      FOR NO KEY UPDATE
    ),
    -- The units that the reservation itself holds count as available to it.
    place AS (
      SELECT
        l.stock_item_id,
        l.warehouse_id,
        w.priority,
        coalesce(h.quantity, 0) AS held,
        CASE
          WHEN w.active THEN l.available
          ELSE 0
        END + coalesce(h.quantity, 0) AS capacity
      FROM
        level l
        JOIN inventory.warehouse w ON w.merchant_id = p_merchant_id AND w.id = l.warehouse_id
        LEFT JOIN inventory.reservation_line h
          ON h.merchant_id = p_merchant_id
          AND h.reservation_id = p_reservation_id
          AND h.stock_item_id = l.stock_item_id
          AND h.warehouse_id = l.warehouse_id
    ),
    -- Each place gives what it has, until the places before it have given enough.
    allocation AS (
      SELECT
        p.stock_item_id,
        p.warehouse_id,
        p.held,
        least(
          p.capacity,
          greatest(0, coalesce(w.quantity, 0) - coalesce(sum(p.capacity) OVER before, 0))
        )::integer AS quantity
      FROM
        place p
        LEFT JOIN wanted w ON w.stock_item_id = p.stock_item_id
      WINDOW
        before AS (
          PARTITION BY p.stock_item_id
          ORDER BY p.priority, p.warehouse_id
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
    )
  SELECT
    (
      SELECT
        jsonb_agg(
          jsonb_build_object(
            'stockItemId',
            w.stock_item_id,
            'sku',
            (SELECT i.sku FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.id = w.stock_item_id),
            'available',
            c.capacity,
            'requested',
            w.quantity
          )
          ORDER BY w.position
        )
      FROM
        wanted w
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(p.capacity), 0) AS capacity FROM place p WHERE p.stock_item_id = w.stock_item_id
        ) c
      WHERE c.capacity < w.quantity
    ),
    array_agg(a.stock_item_id),
    array_agg(a.warehouse_id),
    array_agg(a.held),
    array_agg(a.quantity)
  INTO v_shortages, v_items, v_warehouses, v_held, v_allocated
  FROM allocation a
  WHERE a.held <> a.quantity;
  IF v_shortages IS NOT NULL THEN
    RETURN v_shortages;
  END IF;

  INSERT INTO inventory.reservation AS r (merchant_id, id, order_id, expires_at)
  VALUES (p_merchant_id, p_reservation_id, p_order_id, p_expires_at)
  ON CONFLICT (merchant_id, id) DO UPDATE
    SET
      order_id = excluded.order_id,
      expires_at = excluded.expires_at;

  PERFORM inventory.because_of_reservation(p_reservation_id, p_order_id, NULL);
  UPDATE inventory.stock_level l
  SET
    available = l.available + a.held - a.quantity,
    reserved = l.reserved + a.quantity - a.held
  FROM unnest(v_items, v_warehouses, v_held, v_allocated) AS a (stock_item_id, warehouse_id, held, quantity)
  WHERE
    l.merchant_id = p_merchant_id
    AND l.stock_item_id = ANY (v_items)
    AND l.stock_item_id = a.stock_item_id
    AND l.warehouse_id = a.warehouse_id;
  IF v_own_items <> '{}' THEN
    DELETE FROM inventory.reservation_line h
    USING unnest(v_items, v_warehouses, v_allocated) AS a (stock_item_id, warehouse_id, quantity)
    WHERE
      h.merchant_id = p_merchant_id
      AND h.reservation_id = p_reservation_id
      AND h.stock_item_id = a.stock_item_id
      AND h.warehouse_id = a.warehouse_id
      AND a.quantity = 0;
  END IF;
  INSERT INTO inventory.reservation_line AS h (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
  SELECT p_merchant_id, p_reservation_id, a.stock_item_id, a.warehouse_id, a.quantity
  FROM unnest(v_items, v_warehouses, v_allocated) AS a (stock_item_id, warehouse_id, quantity)
  WHERE a.quantity > 0
  ON CONFLICT (merchant_id, reservation_id, stock_item_id, warehouse_id) DO UPDATE SET quantity = excluded.quantity;
  RETURN NULL;
END;
$$;
