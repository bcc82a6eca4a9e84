CREATE FUNCTION catalog.sellable_lines(p_merchant_id uuid, p_lines jsonb, p_currency text)
RETURNS SETOF catalog.sellable_line
LANGUAGE sql
STABLE
AS $$
  WITH
    wanted AS (
      SELECT
        min(l.position)::integer - 1 AS position,
        l.product_id,
        l.variant_id,
        sum(l.quantity) AS quantity,
        k.line_key,
        (array_agg(coalesce(nullif(l.properties, 'null'), '[]') ORDER BY l.position))[1] AS properties,
        (
          array_agg(
            jsonb_build_object(
              'externalId',
              l.external_id,
              'metadata',
              coalesce(nullif(l.metadata, 'null'), '{}'),
              'privateMetadata',
              coalesce(nullif(l.private_metadata, 'null'), '{}')
            )
            ORDER BY l.position
          )
        )[1] AS kept
      FROM
        ROWS FROM (
          jsonb_to_recordset(p_lines) AS (
            "productId" uuid,
            "variantId" uuid,
            quantity integer,
            properties jsonb,
            "externalId" text,
            metadata jsonb,
            "privateMetadata" jsonb
          )
        ) WITH ORDINALITY AS l (
          product_id,
          variant_id,
          quantity,
          properties,
          external_id,
          metadata,
          private_metadata,
          position
        )
        CROSS JOIN LATERAL (SELECT catalog.line_key(l.properties) AS line_key) k
      GROUP BY l.product_id, l.variant_id, k.line_key
    ),
    found AS (
      SELECT
        w.*,
        p.id AS found_product,
        p.status,
        p.currency,
        p.name,
        v.id AS found_variant,
        coalesce(v.price, p.price) AS price,
        first_value(p.currency) OVER (ORDER BY p.id IS NULL, w.position) AS first_currency
      FROM
        wanted w
        -- By its key for each line, also where Postgres would rather read a small table whole: an order has few lines.
        LEFT JOIN LATERAL (
          SELECT p.id, p.status, p.currency, p.name, p.price
          FROM catalog.product p
          WHERE p.merchant_id = p_merchant_id AND p.id = w.product_id AND p.deleted_at IS NULL
          LIMIT 1
        ) p
          ON TRUE
        LEFT JOIN LATERAL (
          SELECT v.id, v.price
          FROM catalog.product_variant v
          WHERE v.merchant_id = p_merchant_id AND v.product_id = p.id AND v.id = w.variant_id AND v.deleted_at IS NULL
          LIMIT 1
        ) v
          ON TRUE
    )
  SELECT
    f.position,
    f.product_id,
    f.variant_id,
    f.quantity,
    CASE
      WHEN f.found_product IS NULL THEN 'unknown_product'
      WHEN f.status <> 'ACTIVE' THEN 'product_not_active'
      WHEN f.variant_id IS NOT NULL
      AND f.found_variant IS NULL THEN 'unknown_variant'
      WHEN f.variant_id IS NULL
      AND (SELECT v.has_variants FROM catalog.has_variants(p_merchant_id, f.product_id) v) THEN 'variant_required'
      WHEN f.currency <> coalesce(p_currency, f.first_currency) THEN 'currency_mismatch'
      WHEN f.quantity > 999999 THEN 'quantity_too_large'
    END,
    i.id,
    i.sku,
    f.price,
    coalesce(p_currency, f.first_currency),
    f.name,
    (
      SELECT g.url
      FROM catalog.product_image g
      WHERE g.merchant_id = p_merchant_id AND g.product_id = f.product_id
      ORDER BY g.position, g.id
      LIMIT 1
    ),
    f.properties,
    f.line_key,
    f.kept
  FROM
    found f
    LEFT JOIN LATERAL (
      SELECT i.id, i.sku
      FROM inventory.stock_item i
      WHERE
        i.merchant_id = p_merchant_id
        AND i.product_id = f.found_product
        AND i.variant_id IS NOT DISTINCT FROM f.variant_id
      LIMIT 1
    ) i
      ON TRUE
  ORDER BY f.position;
$$;
