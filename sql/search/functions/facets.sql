CREATE FUNCTION search.facets(
  hasura_session json,
  query text DEFAULT NULL,
  types text[] DEFAULT NULL,
  category_id uuid DEFAULT NULL,
  tags text[] DEFAULT NULL,
  options jsonb DEFAULT NULL,
  attributes jsonb DEFAULT NULL,
  price_min bigint DEFAULT NULL,
  price_max bigint DEFAULT NULL,
  in_stock boolean DEFAULT NULL,
  status text DEFAULT NULL,
  sort_by text DEFAULT 'RELEVANCE',
  sort_order text DEFAULT NULL,
  after_value text DEFAULT NULL,
  after_id uuid DEFAULT NULL,
  page_size integer DEFAULT 20,
  page_offset integer DEFAULT 0
)
RETURNS SETOF search.facet
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
ROWS 50
-- The counted rows of many products stay in memory.
SET work_mem = '32MB'
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_request search.request := search.request_of(
    hasura_session,
    query,
    types,
    category_id,
    tags,
    options,
    attributes,
    price_min,
    price_max,
    in_stock,
    status,
    sort_by
  );
BEGIN
  RETURN QUERY EXECUTE
    format(
      $statement$
      WITH
        %s
        named AS (
          SELECT v.key, v.kind, v.name, v.value, sum(k.count) AS count
          FROM
            counted_key k
            CROSS JOIN LATERAL (
              SELECT x.*
              FROM search.facet_value x
              WHERE x.merchant_id = (($1).scope).merchant_id AND x.key = k.key
              ORDER BY x.id
              LIMIT 1
            ) v
          WHERE k.missed IS NULL OR search.group_name(v.kind, v.name) = k.missed
          GROUP BY v.key, v.kind, v.name, v.value
          HAVING sum(k.count) > 0
        ),
        most AS (
          SELECT
            n.kind,
            min(n.name) OVER (PARTITION BY n.kind, search.group_name(n.kind, n.name)) AS name,
            n.value,
            n.count,
            row_number() OVER (
              PARTITION BY n.kind, search.group_name(n.kind, n.name)
              ORDER BY n.count DESC, n.value
            ) AS place
          FROM named n
        ),
        -- A step to round by: a power of ten, of which at least five lie between the prices. Prices are counted by
        -- their first two digits, so it is no smaller than those of the highest.
        step AS (
          SELECT
            greatest(
              power(10, floor(log(greatest((max(v.value) - min(v.value)) / 5, 1)))),
              power(10, greatest(floor(log(greatest(max(v.value), 1))) - 1, 0))
            )::bigint AS size
          FROM counted_value v
          WHERE v.kind IN ('LOWEST_PRICE', 'HIGHEST_PRICE')
        ),
        cumulated AS (
          SELECT v.value AS price, sum(v.count) OVER (ORDER BY v.value) AS upto, sum(v.count) OVER () AS count
          FROM counted_value v
          WHERE v.kind = 'LOWEST_PRICE'
        ),
        bound AS (
          SELECT DISTINCT q.price / s.size * s.size AS min
          FROM
            (
              -- The lowest price, and where the second to the fifth part begins.
              SELECT min(c.price) AS price
              FROM
                generate_series(0, 4) AS part
                JOIN cumulated c ON c.upto * 5 >= part * c.count
              GROUP BY part
            ) q,
            step s
        ),
        price_range AS (
          SELECT
            b.min,
            coalesce(
              lead(b.min) OVER (ORDER BY b.min) - 1,
              (
                SELECT (max(v.value) / s.size + 1) * s.size - 1
                FROM
                  counted_value v,
                  step s
                WHERE v.kind = 'HIGHEST_PRICE'
                GROUP BY s.size
              )
            ) AS max
          FROM bound b
        ),
        counted(name, option_name, namespace, key, attribute_name, value, label, count, min, max) AS (
          SELECT
            'TYPE',
            NULL::text,
            NULL::text,
            NULL::text,
            NULL::text,
            x.type,
            initcap(x.type),
            v.count,
            NULL::bigint,
            NULL::bigint
          FROM
            counted_value v
            JOIN unnest(ARRAY['PRODUCT', 'CATEGORY', 'ARTICLE']) AS x (type) ON search.number_of_type(x.type) = v.value
          WHERE v.kind = 'TYPE'
          UNION ALL
          SELECT
            m.kind,
            CASE m.kind
              WHEN 'OPTION' THEN m.name
            END,
            a.namespace,
            a.key,
            a.name,
            m.value,
            coalesce(c.name, m.value),
            m.count,
            NULL,
            NULL
          FROM
            most m
            LEFT JOIN catalog.category c
              ON m.kind = 'CATEGORY' AND c.merchant_id = (($1).scope).merchant_id AND c.id::text = m.value
            LEFT JOIN LATERAL (
              SELECT d.namespace, d.key, d.name
              FROM metadata.definition d
              WHERE
                m.kind = 'ATTRIBUTE'
                AND d.merchant_id = (($1).scope).merchant_id
                AND d.owner_type IN ('PRODUCT', 'PRODUCT_VARIANT')
                AND d.namespace = split_part(m.name, '.', 1)
                AND d.key = split_part(m.name, '.', 2)
                AND d.is_attribute
              ORDER BY d.owner_type
              LIMIT 1
            ) a
              ON TRUE
          WHERE m.place <= 50 AND (m.kind <> 'ATTRIBUTE' OR a.key IS NOT NULL)
          UNION ALL
          SELECT 'PRICE', NULL, NULL, NULL, NULL, r.min || '-' || r.max, r.min || '-' || r.max, c.count, r.min, r.max
          FROM
            price_range r
            CROSS JOIN LATERAL (
              -- All that begin before its end, without those that end before it.
              SELECT
                coalesce(sum(v.count) FILTER (WHERE v.kind = 'LOWEST_PRICE' AND v.value <= r.max), 0) - coalesce(
                  sum(v.count) FILTER (WHERE v.kind = 'HIGHEST_PRICE' AND v.value < r.min),
                  0
                ) AS count
              FROM counted_value v
            ) c
          WHERE c.count > 0
          UNION ALL
          SELECT
            'IN_STOCK',
            NULL,
            NULL,
            NULL,
            NULL,
            (v.value = 1)::text,
            CASE v.value
              WHEN 1 THEN 'In stock'
              ELSE 'Out of stock'
            END,
            v.count,
            NULL,
            NULL
          FROM counted_value v
          WHERE v.kind = 'IN_STOCK'
          UNION ALL
          SELECT 'STATUS', NULL, NULL, NULL, NULL, x.status, initcap(x.status), v.count, NULL, NULL
          FROM
            counted_value v
            JOIN unnest(ARRAY['DRAFT', 'ACTIVE', 'ARCHIVED']) AS x (status)
              ON search.number_of_status(x.status) = v.value
          WHERE v.kind = 'STATUS' AND NOT (($1).scope).public_only
        )
      SELECT
        (($1).scope).merchant_id,
        c.name,
        c.option_name,
        c.namespace,
        c.key,
        c.attribute_name,
        c.value,
        c.label,
        c.count::integer,
        c.min,
        c.max
      FROM counted c
      $statement$,
      search.facet_counts(v_request, search.tallied_scope_of(v_request, category_id))
    )
    USING v_request;
END;
$$;
