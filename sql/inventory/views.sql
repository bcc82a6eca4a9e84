-- What is known of each SKU, whether it can be bought or not: a product's own SKU stays when the product gets variants.
CREATE VIEW inventory.item_stock AS
  SELECT
    i.merchant_id,
    i.id AS stock_item_id,
    i.product_id,
    i.variant_id,
    i.sku,
    i.is_sellable,
    t.low_stock_threshold,
    coalesce(l.available, 0)::integer AS available,
    coalesce(l.reserved, 0)::integer AS reserved,
    coalesce(n.quantity, 0)::integer AS in_transit,
    coalesce(l.available, 0) <= t.low_stock_threshold AS is_low_stock,
    l.last_restocked_at,
    l.last_sold_at,
    greatest(i.updated_at, l.updated_at) AS updated_at
  FROM
    inventory.stock_item i
    CROSS JOIN LATERAL (
      SELECT
        coalesce(
          i.low_stock_threshold,
          (SELECT m.low_stock_threshold FROM merchant.settings m WHERE m.merchant_id = i.merchant_id),
          5
        ) AS low_stock_threshold
    ) t
    LEFT JOIN LATERAL (
      SELECT
        sum(s.available) FILTER (
          -- As a sub-select: of a join, Postgres might begin with the warehouse, and read all that is in it.
          WHERE
            (SELECT w.active FROM inventory.warehouse w WHERE w.merchant_id = s.merchant_id AND w.id = s.warehouse_id)
        ) AS available,
        sum(s.reserved) AS reserved,
        max(s.last_restocked_at) AS last_restocked_at,
        max(s.last_sold_at) AS last_sold_at,
        max(s.updated_at) AS updated_at
      FROM inventory.stock_level s
      WHERE s.merchant_id = i.merchant_id AND s.stock_item_id = i.id
    ) l
      ON TRUE
    LEFT JOIN LATERAL (
      SELECT sum(s.awaited) AS quantity
      FROM inventory.incoming_stock s
      WHERE s.merchant_id = i.merchant_id AND s.stock_item_id = i.id AND s.awaited IS NOT NULL
    ) n
      ON TRUE;

CREATE VIEW inventory.sku_inventory AS
  SELECT
    i.merchant_id,
    i.stock_item_id,
    i.product_id,
    i.variant_id,
    i.sku,
    i.low_stock_threshold,
    a.available,
    i.reserved,
    i.in_transit,
    a.available <= i.low_stock_threshold AS is_low_stock,
    i.last_restocked_at,
    i.last_sold_at,
    i.updated_at,
    a.available > 0 AS in_stock,
    inventory.shown_quantity(i.merchant_id, a.available) AS shown_quantity
  FROM
    inventory.item_stock i
    CROSS JOIN LATERAL (
      SELECT
        CASE
          WHEN i.is_sellable THEN i.available
          ELSE 0
        END AS available
    ) a;

CREATE VIEW inventory.product_inventory AS
  SELECT
    p.merchant_id,
    p.id AS product_id,
    NULL::uuid AS variant_id,
    coalesce(t.low_stock_threshold, 0)::integer AS low_stock_threshold,
    coalesce(t.available, 0)::integer AS available,
    coalesce(t.reserved, 0)::integer AS reserved,
    coalesce(t.in_transit, 0)::integer AS in_transit,
    coalesce(t.is_low_stock, TRUE) AS is_low_stock,
    t.last_restocked_at,
    t.last_sold_at,
    coalesce(t.updated_at, p.updated_at) AS updated_at,
    p.in_stock,
    inventory.shown_quantity(p.merchant_id, coalesce(t.available, 0)::integer) AS shown_quantity
  FROM
    catalog.product p
    -- Postgres leaves the sums out where a request doesn't read them.
    LEFT JOIN LATERAL (
      SELECT
        sum(s.low_stock_threshold) AS low_stock_threshold,
        sum(s.available) AS available,
        sum(s.reserved) AS reserved,
        sum(s.in_transit) AS in_transit,
        bool_or(s.is_low_stock) AS is_low_stock,
        max(s.last_restocked_at) AS last_restocked_at,
        max(s.last_sold_at) AS last_sold_at,
        max(s.updated_at) AS updated_at
      FROM inventory.item_stock s
      WHERE s.merchant_id = p.merchant_id AND s.product_id = p.id AND s.sku IS NOT NULL AND s.is_sellable
    ) t
      ON TRUE;

CREATE VIEW inventory.product_warehouse_inventory AS
  SELECT
    s.merchant_id,
    i.product_id,
    s.warehouse_id,
    sum(s.available)::integer AS available,
    sum(s.reserved)::integer AS reserved
  FROM
    inventory.stock_level s
    JOIN inventory.stock_item i ON i.merchant_id = s.merchant_id AND i.id = s.stock_item_id
  WHERE i.sku IS NOT NULL AND i.is_sellable
  GROUP BY s.merchant_id, i.product_id, s.warehouse_id;

-- What is kept with each stock item, as it follows from the levels, the warehouses in use, the thresholds, the product
-- and its variants.
CREATE VIEW inventory.item_standing AS
  SELECT
    i.merchant_id,
    i.stock_item_id,
    s.is_sellable,
    s.is_sellable AND i.sku IS NOT NULL AND i.available > 0 AS in_stock,
    -- An archived product is not bought again.
    s.is_sellable
    AND i.sku IS NOT NULL
    AND i.is_low_stock
    AND p.status <> 'ARCHIVED' AS needs_restock
  FROM
    inventory.item_stock i
    JOIN catalog.product p ON p.merchant_id = i.merchant_id AND p.id = i.product_id
    CROSS JOIN LATERAL (
      SELECT
        -- A product that has variants is sold by their items, and no more by its own.
        i.variant_id IS NOT NULL
        OR NOT (SELECT v.has_variants FROM catalog.has_variants(i.merchant_id, i.product_id) v) AS is_sellable
    ) s;
