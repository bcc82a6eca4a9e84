CREATE VIEW search.stocked_product AS
  SELECT i.merchant_id, i.product_id
  FROM
    inventory.stock_item i
    JOIN inventory.stock_level l ON l.merchant_id = i.merchant_id AND l.stock_item_id = i.id AND l.available > 0
    JOIN inventory.warehouse w ON w.merchant_id = l.merchant_id AND w.id = l.warehouse_id AND w.active
  WHERE
    i.sku IS NOT NULL
    AND (
      i.variant_id IS NOT NULL
      OR NOT EXISTS (
        SELECT
        FROM catalog.product_variant v
        WHERE v.merchant_id = i.merchant_id AND v.product_id = i.product_id AND v.deleted_at IS NULL
      )
    );
