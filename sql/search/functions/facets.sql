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
ROWS 50
-- The counted rows of 200,000 products stay in memory.
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
  v_groups search.key_group[] := v_request.groups;
  -- Of a row, the names of the groups of which it has none.
  v_missed text := (
    SELECT
      format(
        'array_remove(ARRAY[%s]::text[], NULL)',
        string_agg(format('CASE WHEN NOT d.facet_keys && %L::bigint[] THEN %L END', g.keys, g.name), ', ')
      )
    FROM unnest(v_groups) g
  );
BEGIN
  RETURN QUERY EXECUTE
    format(
      $statement$
      WITH
        candidate AS MATERIALIZED (
          SELECT
            search.type_of(d) AS type,
            d.status,
            d.lowest_price,
            d.highest_price,
            d.facet_keys,
            %1$s AS in_stock%2$s
          FROM search.document d
          WHERE %3$s
        ),
        hit AS %4$s,
        -- A value of an option or attribute is counted as if it had no filter yet: with what misses this filter alone.
        counted_key AS MATERIALIZED (
          SELECT k.key, k.missed, count(*) AS count
          FROM
            (
              SELECT unnest(c.facet_keys) AS key, %5$s AS missed
              FROM candidate c
              WHERE %6$s
            ) k
          GROUP BY k.key, k.missed
        ),
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
        -- A step to round by: a power of ten, of which at least five lie between the prices.
        step AS (
          SELECT power(10, floor(log(greatest((max(h.highest_price) - min(h.lowest_price)) / 5, 1))))::bigint AS size
          FROM hit h
        ),
        bound AS (
          SELECT DISTINCT q.price / s.size * s.size AS min
          FROM
            (
              -- The lowest price, and where the second to the fifth part begins.
              SELECT
                unnest(percentile_disc('{0,0.2,0.4,0.6,0.8}'::float8[]) WITHIN GROUP (ORDER BY h.lowest_price)) AS price
              FROM hit h
            ) q,
            step s
        ),
        price_range AS (
          SELECT
            b.min,
            coalesce(
              lead(b.min) OVER (ORDER BY b.min) - 1,
              (
                SELECT (max(h.highest_price) / s.size + 1) * s.size - 1
                FROM
                  hit h,
                  step s
                GROUP BY s.size
              )
            ) AS max
          FROM bound b
          WHERE b.min IS NOT NULL
        ),
        grouped AS (
          SELECT h.type, h.in_stock, h.status, grouping(h.type, h.in_stock, h.status) AS by, count(*) AS count
          FROM hit h
          GROUP BY GROUPING SETS ((h.type), (h.in_stock), (h.status))
        ),
        counted(name, option_name, namespace, key, attribute_name, value, label, count, min, max) AS (
          SELECT
            'TYPE',
            NULL::text,
            NULL::text,
            NULL::text,
            NULL::text,
            g.type,
            initcap(g.type),
            g.count,
            NULL::bigint,
            NULL::bigint
          FROM grouped g
          WHERE g.by = 3
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
          SELECT 'PRICE', NULL, NULL, NULL, NULL, r.min || '-' || r.max, r.min || '-' || r.max, count(*), r.min, r.max
          FROM
            price_range r
            JOIN hit h ON h.highest_price >= r.min AND h.lowest_price <= r.max
          GROUP BY r.min, r.max
          UNION ALL
          SELECT
            'IN_STOCK',
            NULL,
            NULL,
            NULL,
            NULL,
            g.in_stock::text,
            CASE
              WHEN g.in_stock THEN 'In stock'
              ELSE 'Out of stock'
            END,
            g.count,
            NULL,
            NULL
          FROM grouped g
          WHERE g.by = 5 AND g.in_stock IS NOT NULL
          UNION ALL
          SELECT 'STATUS', NULL, NULL, NULL, NULL, g.status, initcap(g.status), g.count, NULL, NULL
          FROM grouped g
          WHERE g.by = 6 AND g.status IS NOT NULL AND NOT (($1).scope).public_only
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
      search.in_stock_of((v_request.scope).merchant_id),
      CASE
        WHEN v_groups IS NOT NULL THEN format(', %s AS missed', v_missed)
      END,
      search.matches(v_request, FALSE),
      CASE
        WHEN v_groups IS NULL THEN 'NOT MATERIALIZED (SELECT * FROM candidate)'
        ELSE 'MATERIALIZED (SELECT * FROM candidate c WHERE c.missed = ''{}'')'
      END,
      CASE
        WHEN v_groups IS NULL THEN 'NULL::text'
        ELSE 'c.missed[1]'
      END,
      CASE
        WHEN v_groups IS NULL THEN 'TRUE'
        ELSE 'cardinality(c.missed) < 2'
      END
    )
    USING v_request;
END;
$$;
