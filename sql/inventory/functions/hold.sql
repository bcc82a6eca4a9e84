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
  v_expired uuid[];
  v_own_items uuid[] := inventory.held_stock_items(p_merchant_id, ARRAY[p_reservation_id]);
  v_shortages jsonb;
BEGIN
  -- Expiry is checked at use too: stock that a job hasn't fetched back yet can be sold all the same.
  v_expired := inventory.lock_expired(p_merchant_id, 20);
  v_expired := array_remove(v_expired, p_reservation_id);
  IF cardinality(v_expired) = 0 THEN
    PERFORM inventory.lock_levels(p_merchant_id, p_stock_item_ids || v_own_items);
  ELSE
    PERFORM
      inventory.lock_levels(
        p_merchant_id,
        p_stock_item_ids || v_own_items || inventory.held_stock_items(p_merchant_id, v_expired)
      );
    PERFORM inventory.give_back(p_merchant_id, v_expired, 'EXPIRED');
  END IF;

  -- The units that the reservation itself holds count as available to it.
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
  INTO v_shortages
  FROM
    (
      SELECT u.stock_item_id, sum(u.quantity) AS quantity, min(u.position) AS position
      FROM unnest(p_stock_item_ids, p_quantities) WITH ORDINALITY AS u (stock_item_id, quantity, position)
      GROUP BY u.stock_item_id
    ) w
    CROSS JOIN LATERAL (
      SELECT
        coalesce(
          sum(
            CASE
              WHEN p.active THEN l.available
              ELSE 0
            END + coalesce(h.quantity, 0)
          ),
          0
        ) AS capacity
      FROM
        inventory.stock_level l
        JOIN inventory.warehouse p ON p.merchant_id = l.merchant_id AND p.id = l.warehouse_id
        LEFT JOIN inventory.reservation_line h
          ON h.merchant_id = l.merchant_id
          AND h.reservation_id = p_reservation_id
          AND h.stock_item_id = l.stock_item_id
          AND h.warehouse_id = l.warehouse_id
      WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = w.stock_item_id
    ) c
  WHERE c.capacity < w.quantity;
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
  WITH
    place AS (
      SELECT
        l.stock_item_id,
        l.warehouse_id,
        p.priority,
        coalesce(h.quantity, 0) AS held,
        CASE
          WHEN p.active THEN l.available
          ELSE 0
        END + coalesce(h.quantity, 0) AS capacity
      FROM
        inventory.stock_level l
        JOIN inventory.warehouse p ON p.merchant_id = l.merchant_id AND p.id = l.warehouse_id
        LEFT JOIN inventory.reservation_line h
          ON h.merchant_id = l.merchant_id
          AND h.reservation_id = p_reservation_id
          AND h.stock_item_id = l.stock_item_id
          AND h.warehouse_id = l.warehouse_id
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
      FROM
        place
        LEFT JOIN (
          -- Two lines of an order may have the same product, with other properties.
          SELECT u.stock_item_id, sum(u.quantity) AS quantity
          FROM unnest(p_stock_item_ids, p_quantities) AS u (stock_item_id, quantity)
          GROUP BY u.stock_item_id
        ) w
          ON w.stock_item_id = place.stock_item_id
      WINDOW
        before AS (
          PARTITION BY place.stock_item_id
          ORDER BY place.priority, place.warehouse_id
          ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        )
    ),
    moved AS (
      UPDATE inventory.stock_level l
      SET
        available = l.available + a.held - a.quantity,
        reserved = l.reserved + a.quantity - a.held
      FROM allocation a
      WHERE
        l.merchant_id = p_merchant_id
        AND l.stock_item_id = a.stock_item_id
        AND l.warehouse_id = a.warehouse_id
        AND a.held <> a.quantity
    ),
    dropped AS (
      DELETE FROM inventory.reservation_line h
      USING allocation a
      WHERE
        h.merchant_id = p_merchant_id
        AND h.reservation_id = p_reservation_id
        AND h.stock_item_id = a.stock_item_id
        AND h.warehouse_id = a.warehouse_id
        AND a.quantity = 0
    )
  INSERT INTO inventory.reservation_line AS h (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
  SELECT p_merchant_id, p_reservation_id, a.stock_item_id, a.warehouse_id, a.quantity
  FROM allocation a
  WHERE a.quantity > 0
  ON CONFLICT (merchant_id, reservation_id, stock_item_id, warehouse_id) DO UPDATE SET quantity = excluded.quantity;
  RETURN NULL;
END;
$$;
