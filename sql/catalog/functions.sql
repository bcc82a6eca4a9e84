-- One row. Postgres puts the body of such a function into the statement that reads it, and plans both as one: lists
-- ask for each product, and a call would cost more than the look-up, row security's part of it included.
CREATE FUNCTION catalog.has_variants(p_merchant_id uuid, p_product_id uuid)
RETURNS TABLE (has_variants boolean)
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM catalog.product_variant v
      WHERE v.merchant_id = p_merchant_id AND v.product_id = p_product_id AND v.deleted_at IS NULL
    );
$$;

CREATE FUNCTION catalog.price_range(
  p_merchant_id uuid,
  p_product_id uuid,
  p_price bigint,
  OUT lowest bigint,
  OUT highest bigint
)
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(min(coalesce(v.price, p_price)), p_price), coalesce(max(coalesce(v.price, p_price)), p_price)
  FROM catalog.product_variant v
  WHERE v.merchant_id = p_merchant_id AND v.product_id = p_product_id AND v.deleted_at IS NULL;
$$;

-- Gives products the lowest and the highest price of their variants, and their SKUs, for lists and the search.
CREATE FUNCTION catalog.sum_up_variants(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE sql
AS $$
  UPDATE catalog.product p
  SET
    lowest_price = r.lowest,
    highest_price = r.highest,
    variant_skus = s.skus
  FROM
    catalog.product o,
    catalog.price_range(o.merchant_id, o.id, o.price) r,
    LATERAL (
      SELECT coalesce(string_agg(v.sku, E'\n' ORDER BY v.position, v.id), '') AS skus
      FROM catalog.product_variant v
      WHERE v.merchant_id = o.merchant_id AND v.product_id = o.id AND v.deleted_at IS NULL
    ) s
  WHERE
    o.merchant_id = p_merchant_id
    AND o.id = ANY (p_product_ids)
    AND p.merchant_id = o.merchant_id
    AND p.id = o.id
    AND (p.lowest_price, p.highest_price, p.variant_skus) IS DISTINCT FROM (r.lowest, r.highest, s.skus);
$$;

-- What tells the lines of one product apart. The order of the properties doesn't.
CREATE FUNCTION catalog.line_key(p_properties jsonb)
RETURNS text
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT
    CASE
      WHEN jsonb_typeof(p_properties) = 'array'
      AND p_properties <> '[]' THEN (
        SELECT md5(jsonb_agg(p ORDER BY p ->> 'name', p ->> 'value')::text)
        FROM jsonb_array_elements(p_properties) p
      )
      ELSE ''
    END;
$$;

-- type catalog.line_refusal =
--   {
--   field: text,
--   reason: 'unknown_product' | 'product_not_active' | 'unknown_variant' | 'variant_required' | 'currency_mismatch'
--   | 'quantity_too_large' | 'too_many_lines' | 'total_too_large',
--   currency?: text | null
--   }
CREATE FUNCTION catalog.line_refusals(p_lines catalog.sellable_line[], p_list text)
RETURNS jsonb
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    coalesce(
      jsonb_agg(
        jsonb_build_object(
          'field',
          format(
            '%s.%s.%s',
            p_list,
            l.position,
            CASE
              WHEN l.refusal IN ('unknown_variant', 'variant_required') THEN 'variantId'
              WHEN l.refusal = 'quantity_too_large' THEN 'quantity'
              ELSE 'productId'
            END
          ),
          'reason',
          l.refusal,
          'currency',
          l.currency
        )
        ORDER BY l.position
      ),
      '[]'
    )
  FROM unnest(p_lines) l
  WHERE l.refusal IS NOT NULL;
$$;

CREATE FUNCTION catalog.category_path(p_merchant_id uuid, p_category_id uuid)
RETURNS SETOF uuid
LANGUAGE sql
STABLE
ROWS 3
AS $$
  WITH RECURSIVE
    path AS (
      SELECT c.id, c.parent_id FROM catalog.category c WHERE c.merchant_id = p_merchant_id AND c.id = p_category_id
      UNION
      SELECT c.id, c.parent_id
      FROM
        path p
        -- By its key (OFFSET 0), for Postgres may not know yet that there are many categories.
        CROSS JOIN LATERAL (
          SELECT c.id, c.parent_id
          FROM catalog.category c
          WHERE c.merchant_id = p_merchant_id AND c.id = p.parent_id
          OFFSET 0
        ) c
    )
  SELECT id
  FROM path;
$$;

CREATE FUNCTION catalog.category_subtree(p_merchant_id uuid, p_category_id uuid)
RETURNS SETOF uuid
LANGUAGE sql
STABLE
ROWS 10
AS $$
  WITH RECURSIVE
    subtree AS (
      SELECT p_category_id AS id
      UNION
      SELECT c.id
      FROM
        catalog.category c
        JOIN subtree s ON c.merchant_id = p_merchant_id AND c.parent_id = s.id
    )
  SELECT id
  FROM subtree;
$$;

CREATE FUNCTION catalog.tree_lock(p_merchant_id uuid)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT hashtextextended('catalog.category ' || p_merchant_id, 0);
$$;

CREATE FUNCTION catalog.has_bought(p_merchant_id uuid, p_customer_id uuid, p_product_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM
        ordering.product_order l
        JOIN ordering.order o ON o.merchant_id = l.merchant_id AND o.id = l.order_id
      WHERE
        l.merchant_id = p_merchant_id
        AND l.product_id = p_product_id
        AND o.customer_id = p_customer_id
        AND o.status NOT IN ('PENDING', 'CANCELLED')
    );
$$;

-- The variant or product with a SKU, or else the product of an external id.
CREATE FUNCTION catalog.product_of_history(p_merchant_id uuid, p_sku text, p_external_id text)
RETURNS TABLE (product_id uuid, variant_id uuid)
LANGUAGE sql
STABLE
AS $$
  SELECT f.product_id, f.variant_id
  FROM
    (
      SELECT v.product_id, v.id AS variant_id, 1 AS rank
      FROM
        catalog.product_variant v
        JOIN catalog.product p ON p.merchant_id = v.merchant_id AND p.id = v.product_id AND p.deleted_at IS NULL
      WHERE v.merchant_id = p_merchant_id AND v.sku = p_sku AND v.deleted_at IS NULL
      UNION ALL
      SELECT p.id, NULL, 2
      FROM catalog.product p
      WHERE p.merchant_id = p_merchant_id AND p.sku = p_sku AND p.deleted_at IS NULL
      UNION ALL
      SELECT p.id, NULL, 3
      FROM catalog.product p
      WHERE p.merchant_id = p_merchant_id AND p.external_id = p_external_id AND p.deleted_at IS NULL
    ) f
  ORDER BY f.rank
  LIMIT 1;
$$;
