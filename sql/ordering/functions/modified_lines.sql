CREATE FUNCTION ordering.modified_lines(
  p_merchant_id uuid,
  p_order_id uuid,
  p_added catalog.sellable_line[],
  p_update jsonb,
  p_remove uuid[]
)
RETURNS catalog.sellable_line[]
LANGUAGE sql
STABLE
AS $$
  WITH
    kept AS (
      SELECT
        i.position,
        i.product_id,
        i.variant_id,
        i.sku,
        i.price,
        i.product_name,
        i.product_image,
        i.properties,
        i.line_key,
        coalesce(
          (SELECT (u ->> 'quantity')::bigint FROM jsonb_array_elements(p_update) u WHERE (u ->> 'id')::uuid = i.id),
          i.quantity
        ) AS quantity
      FROM ordering.order_item i
      WHERE i.merchant_id = p_merchant_id AND i.order_id = p_order_id AND NOT i.id = ANY (p_remove)
    ),
    line AS (
      SELECT
        coalesce(k.position, 1000 + a.position) AS position,
        coalesce(k.product_id, a.product_id) AS product_id,
        CASE
          WHEN k.product_id IS NOT NULL THEN k.variant_id
          ELSE a.variant_id
        END AS variant_id,
        coalesce(k.quantity, 0) + coalesce(a.quantity, 0) AS quantity,
        coalesce(k.sku, a.sku) AS sku,
        coalesce(k.price, a.price) AS price,
        a.currency,
        coalesce(k.product_name, a.name) AS name,
        CASE
          WHEN k.product_id IS NOT NULL THEN k.product_image
          ELSE a.image
        END AS image,
        coalesce(k.properties, a.properties) AS properties,
        coalesce(k.line_key, a.line_key) AS line_key,
        a.kept
      FROM
        kept k
        FULL JOIN unnest(p_added) a
          ON a.product_id = k.product_id
          AND coalesce(a.variant_id::text, '') = coalesce(k.variant_id::text, '')
          AND a.line_key = k.line_key
    )
  SELECT
    coalesce(
      array_agg(
        (
          l.position,
          l.product_id,
          l.variant_id,
          l.quantity,
          NULL,
          s.id,
          l.sku,
          l.price,
          l.currency,
          l.name,
          l.image,
          l.properties,
          l.line_key,
          l.kept
        )::catalog.sellable_line
        ORDER BY l.position
      ),
      '{}'
    )
  FROM
    line l
    JOIN inventory.stock_item s
      ON s.merchant_id = p_merchant_id
      AND s.product_id = l.product_id
      AND s.variant_id IS NOT DISTINCT FROM l.variant_id;
$$;
