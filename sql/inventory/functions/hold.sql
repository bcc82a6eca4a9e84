-- Holds units for reservations, all of them or none. A reservation that exists gets what it is to hold now, and gives
-- back what it held. Of several, the first gets what it wants from the first places.
--
-- type inventory.shortage = {stockItemId: uuid, sku: text, available: integer, requested: integer}
CREATE FUNCTION inventory.hold(p_merchant_id uuid, p_claims inventory.claim[])
RETURNS jsonb
LANGUAGE plpgsql
AS $$
DECLARE
  v_ids uuid[] := ARRAY(SELECT c.reservation_id FROM unnest(p_claims) c);
  v_wanted_items uuid[] := ARRAY(
    SELECT DISTINCT i
    FROM
      unnest(p_claims) c
      CROSS JOIN LATERAL unnest(c.stock_item_ids) i
  );
  v_expired uuid[] := ARRAY(SELECT e FROM unnest(inventory.lock_expired(p_merchant_id, 20)) e WHERE e <> ALL (v_ids));
  v_own_items uuid[] := inventory.held_stock_items(p_merchant_id, v_ids);
  v_found record;
BEGIN
  -- Expiry is checked at use too: stock that a job hasn't fetched back yet can be sold all the same. What others may
  -- change under the locks of levels is read after them. Of new reservations, that is the levels alone.
  IF v_expired <> '{}' OR v_own_items <> '{}' THEN
    PERFORM
      inventory.lock_levels(
        p_merchant_id,
        v_wanted_items || v_own_items || inventory.held_stock_items(p_merchant_id, v_expired)
      );
    PERFORM inventory.give_back(p_merchant_id, v_expired, 'EXPIRED');
  END IF;

  WITH
    -- Two lines of an order may have the same product, with other properties. A claim's units of an item are those from
    -- `since` to `since + quantity`, counted over all claims.
    wanted AS (
      SELECT
        u.*,
        sum(u.quantity) OVER (
          PARTITION BY u.stock_item_id
          ORDER BY u.claim
        ) - u.quantity AS since
      FROM
        (
          SELECT c.claim, u.stock_item_id, sum(u.quantity) AS quantity, min(u.position) AS position
          FROM
            unnest(p_claims) WITH ORDINALITY AS c (
              reservation_id,
              order_id,
              expires_at,
              principal,
              stock_item_ids,
              quantities,
              claim
            )
            CROSS JOIN LATERAL unnest(c.stock_item_ids, c.quantities) WITH ORDINALITY AS u (
              stock_item_id,
              quantity,
              position
            )
          GROUP BY c.claim, u.stock_item_id
        ) u
    ),
    level AS MATERIALIZED (
      SELECT l.stock_item_id, l.warehouse_id, l.available
      FROM inventory.stock_level l
      WHERE l.merchant_id = p_merchant_id AND l.stock_item_id = ANY (v_wanted_items || v_own_items)
      ORDER BY l.stock_item_id, l.warehouse_id
      FOR NO KEY UPDATE
    ),
    held AS MATERIALIZED (
      SELECT array_position(v_ids, h.reservation_id) AS claim, h.stock_item_id, h.warehouse_id, h.quantity
      FROM inventory.reservation_line h
      WHERE v_own_items <> '{}' AND h.merchant_id = p_merchant_id AND h.reservation_id = ANY (v_ids)
    ),
    -- The units that the reservations themselves hold count as available to them. A place's are those from `since` to
    -- `since + capacity`.
    place AS (
      SELECT
        p.*,
        sum(p.capacity) OVER (
          PARTITION BY p.stock_item_id
          ORDER BY p.priority, p.warehouse_id
        ) - p.capacity AS since
      FROM
        (
          SELECT
            l.stock_item_id,
            l.warehouse_id,
            w.priority,
            CASE
              WHEN w.active THEN l.available
              ELSE 0
            END + coalesce(
              (
                SELECT sum(h.quantity)
                FROM held h
                WHERE h.stock_item_id = l.stock_item_id AND h.warehouse_id = l.warehouse_id
              ),
              0
            ) AS capacity
          FROM
            level l
            JOIN inventory.warehouse w ON w.merchant_id = p_merchant_id AND w.id = l.warehouse_id
        ) p
    ),
    -- A place gives a claim the units that both count as the same.
    taken AS (
      SELECT
        w.claim,
        p.stock_item_id,
        p.warehouse_id,
        least(w.since + w.quantity, p.since + p.capacity) - greatest(w.since, p.since) AS quantity
      FROM
        wanted w
        JOIN place p ON p.stock_item_id = w.stock_item_id
      WHERE least(w.since + w.quantity, p.since + p.capacity) > greatest(w.since, p.since)
    ),
    allocation AS (
      SELECT
        claim,
        stock_item_id,
        warehouse_id,
        coalesce(h.quantity, 0) AS held,
        coalesce(t.quantity, 0)::integer AS quantity
      FROM
        taken t
        FULL JOIN held h USING (claim, stock_item_id, warehouse_id)
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
        (
          SELECT w.stock_item_id, sum(w.quantity) AS quantity, min(w.position) AS position
          FROM wanted w
          GROUP BY w.stock_item_id
        ) w
        CROSS JOIN LATERAL (
          SELECT coalesce(sum(p.capacity), 0) AS capacity FROM place p WHERE p.stock_item_id = w.stock_item_id
        ) c
      WHERE c.capacity < w.quantity
    ) AS shortages,
    array_agg(
      ROW(a.claim, a.stock_item_id, a.warehouse_id, a.held, a.quantity)::inventory.share
      ORDER BY a.claim
    ) AS shares
  INTO v_found
  FROM allocation a
  WHERE a.held <> a.quantity;
  IF v_found.shortages IS NOT NULL THEN
    RETURN v_found.shortages;
  END IF;

  INSERT INTO inventory.reservation AS r (merchant_id, id, order_id, expires_at)
  SELECT p_merchant_id, c.reservation_id, c.order_id, c.expires_at
  FROM unnest(p_claims) c
  ON CONFLICT (merchant_id, id) DO UPDATE
    SET
      order_id = excluded.order_id,
      expires_at = excluded.expires_at;
  PERFORM inventory.take_shares(p_merchant_id, p_claims, v_found.shares);
  IF v_own_items <> '{}' THEN
    DELETE FROM inventory.reservation_line h
    USING unnest(v_found.shares) s
    WHERE
      h.merchant_id = p_merchant_id
      AND h.reservation_id = v_ids[s.claim]
      AND h.stock_item_id = s.stock_item_id
      AND h.warehouse_id = s.warehouse_id
      AND s.quantity = 0;
  END IF;
  INSERT INTO inventory.reservation_line AS h (merchant_id, reservation_id, stock_item_id, warehouse_id, quantity)
  SELECT p_merchant_id, v_ids[s.claim], s.stock_item_id, s.warehouse_id, s.quantity
  FROM unnest(v_found.shares) s
  WHERE s.quantity > 0
  ON CONFLICT (merchant_id, reservation_id, stock_item_id, warehouse_id) DO UPDATE SET quantity = excluded.quantity;
  RETURN NULL;
END;
$$;
