-- Writes to the levels what claims get of them, and a movement for each claim and level. The trigger of levels, which
-- writes one for each level, leaves it to this.
CREATE FUNCTION inventory.take_shares(p_merchant_id uuid, p_claims inventory.claim[], p_shares inventory.share[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM set_config('inventory.cause', 'written', TRUE);
  WITH
    moved AS (
      UPDATE inventory.stock_level l
      SET
        available = l.available - s.quantity,
        reserved = l.reserved + s.quantity
      FROM
        (
          SELECT s.stock_item_id, s.warehouse_id, sum(s.quantity - s.held) AS quantity
          FROM unnest(p_shares) s
          GROUP BY s.stock_item_id, s.warehouse_id
        ) s
      WHERE
        l.merchant_id = p_merchant_id
        -- As a list, too, so that the index finds the levels.
        AND l.stock_item_id = ANY (ARRAY(SELECT s.stock_item_id FROM unnest(p_shares) s))
        AND l.stock_item_id = s.stock_item_id
        AND l.warehouse_id = s.warehouse_id
      RETURNING l.stock_item_id, l.warehouse_id, l.available + l.reserved AS on_hand, l.reserved
    )
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
    p_merchant_id,
    s.stock_item_id,
    s.warehouse_id,
    (SELECT i.product_id FROM inventory.stock_item i WHERE i.merchant_id = p_merchant_id AND i.id = s.stock_item_id),
    k.kind,
    0,
    s.quantity - s.held,
    m.on_hand,
    -- Without what later claims take of the level.
    m.reserved - coalesce(sum(s.quantity - s.held) OVER later, 0),
    inventory.reason_of_movement(k.kind),
    r.reference_type,
    r.reference_id,
    c.principal
  FROM
    unnest(p_shares) s
    JOIN moved m USING (stock_item_id, warehouse_id)
    JOIN unnest(p_claims) WITH ORDINALITY AS c ON c.ordinality = s.claim
    CROSS JOIN LATERAL inventory.reference_of_reservation(c.reservation_id, c.order_id) r
    CROSS JOIN LATERAL (SELECT inventory.kind_of_movement(0, s.quantity - s.held) AS kind) k
  WINDOW
    later AS (
      PARTITION BY s.stock_item_id, s.warehouse_id
      ORDER BY s.claim
      ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING
    )
  ORDER BY s.claim;
END;
$$;
