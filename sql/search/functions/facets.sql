CREATE FUNCTION search.facets(
  hasura_session json,
  query text,
  types text[] DEFAULT NULL,
  category_id uuid DEFAULT NULL,
  tags text[] DEFAULT NULL,
  price_min bigint DEFAULT NULL,
  price_max bigint DEFAULT NULL,
  in_stock boolean DEFAULT NULL,
  status text DEFAULT NULL
)
RETURNS SETOF search.facet
LANGUAGE plpgsql
STABLE
ROWS 50
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_scope search.scope := search.scope_of(hasura_session);
BEGIN
  RETURN QUERY WITH
      hit AS MATERIALIZED (
        SELECT h.*
        FROM search.found(v_scope, query, types, category_id, tags, price_min, price_max, in_stock, status) h
      ),
      product AS MATERIALIZED (
        SELECT p.id, p.lowest_price, p.highest_price, p.status, p.tags
        FROM
          hit h
          JOIN catalog.product p ON p.merchant_id = h.merchant_id AND p.id = h.product_id
      ),
      -- A step to round by: a power of ten, of which at least five lie between the prices.
      step AS (
        SELECT power(10, floor(log(greatest((max(p.highest_price) - min(p.lowest_price)) / 5, 1))))::bigint AS size
        FROM product p
      ),
      bound AS (
        SELECT DISTINCT p.lowest_price / s.size * s.size AS min
        FROM
          (
            SELECT x.lowest_price, row_number() OVER (ORDER BY x.lowest_price) - 1 AS number, count(*) OVER () AS total
            FROM product x
          ) p,
          step s
        -- The lowest price, and where the second to the fifth part begins.
        WHERE p.number IN (0, p.total / 5, p.total * 2 / 5, p.total * 3 / 5, p.total * 4 / 5)
      ),
      price_range AS (
        SELECT
          b.min,
          coalesce(
            lead(b.min) OVER (ORDER BY b.min) - 1,
            (
              SELECT (max(p.highest_price) / s.size + 1) * s.size - 1
              FROM
                product p,
                step s
              GROUP BY s.size
            )
          ) AS max
        FROM bound b
      ),
      counted(name, value, label, count, min, max) AS (
        SELECT
          'TYPE',
          t.type,
          initcap(t.type),
          count(*),
          NULL::bigint,
          NULL::bigint
        FROM
          hit h
          CROSS JOIN LATERAL (
            SELECT
              CASE
                WHEN h.product_id IS NOT NULL THEN 'PRODUCT'
                WHEN h.category_id IS NOT NULL THEN 'CATEGORY'
                ELSE 'ARTICLE'
              END AS type
          ) t
        GROUP BY t.type
        UNION ALL
        (
          SELECT 'CATEGORY', c.id::text, c.name, count(*), NULL, NULL
          FROM
            product p
            JOIN catalog.category_product x ON x.merchant_id = v_scope.merchant_id AND x.product_id = p.id
            JOIN catalog.category c ON c.merchant_id = x.merchant_id AND c.id = x.category_id
          GROUP BY c.id, c.name
          ORDER BY count(*) DESC, c.id
          LIMIT 50
        )
        UNION ALL
        (
          SELECT 'TAG', t.tag, t.tag, count(*), NULL, NULL
          FROM
            product p
            CROSS JOIN LATERAL (SELECT DISTINCT tag FROM unnest(p.tags) AS tag) t
          GROUP BY t.tag
          ORDER BY count(*) DESC, t.tag
          LIMIT 50
        )
        UNION ALL
        SELECT 'PRICE', r.min || '-' || r.max, r.min || '-' || r.max, count(*), r.min, r.max
        FROM
          price_range r
          JOIN product p ON p.highest_price >= r.min AND p.lowest_price <= r.max
        GROUP BY r.min, r.max
        UNION ALL
        SELECT
          'IN_STOCK',
          s.available::text,
          CASE
            WHEN s.available THEN 'In stock'
            ELSE 'Out of stock'
          END,
          count(*),
          NULL,
          NULL
        FROM
          product p
          CROSS JOIN LATERAL (
            -- With a limit, because Postgres would look through the whole stock for a few products otherwise.
            SELECT
              coalesce(
                (
                  SELECT TRUE
                  FROM search.stocked_product x
                  WHERE x.merchant_id = v_scope.merchant_id AND x.product_id = p.id
                  LIMIT 1
                ),
                FALSE
              ) AS available
          ) s
        GROUP BY s.available
        UNION ALL
        SELECT 'STATUS', p.status, initcap(p.status), count(*), NULL, NULL
        FROM product p
        WHERE NOT v_scope.public_only
        GROUP BY p.status
      )
    SELECT v_scope.merchant_id, c.name, c.value, c.label, c.count::integer, c.min, c.max
    FROM counted c;
END;
$$;
