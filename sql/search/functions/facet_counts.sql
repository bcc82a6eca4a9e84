-- The head of the statement of search.facets: what its counts are made of. counted_value has the kinds of
-- search.tallied_values but keys, each value with its count. counted_key has the keys, and in `missed` the one group
-- whose filter these documents miss.
--
-- p_scope is set when counts are to be read from search.tally, of all documents (0) or of the category with this key.
CREATE FUNCTION search.facet_counts(p_request search.request, p_scope bigint)
RETURNS text
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_scope search.scope := p_request.scope;
  v_groups search.key_group[] := p_request.groups;
  -- Of a row, how many groups it has nothing of, and the sum of their places: if it is one, its place.
  v_misses text := (
    SELECT string_agg(format('(NOT d.facet_keys && %L::bigint[])::integer', g.keys), ' + ')
    FROM unnest(v_groups) g
  );
  v_missed text := (
    SELECT string_agg(format('%s * (NOT d.facet_keys && %L::bigint[])::integer', g.place, g.keys), ' + ')
    FROM unnest(v_groups) WITH ORDINALITY AS g (name, keys, place)
  );
  v_names text[] := ARRAY(SELECT g.name FROM unnest(v_groups) g);
  v_of_scope text := CASE
    WHEN v_scope.public_only THEN 'x.public'
    ELSE 'TRUE'
  END || CASE
    WHEN p_scope = 0 THEN ''
    ELSE format(' AND x.facet_keys @> ARRAY[%s]::bigint[]', p_scope)
  END;
BEGIN
  IF p_scope IS NOT NULL THEN
    RETURN format(
      $statement$
      tallied AS MATERIALIZED (
        SELECT t.kind, t.value, sum(t.count) AS count
        FROM
          (
            SELECT x.kind, x.value, x.count
            FROM search.tally x
            WHERE x.merchant_id = (($1).scope).merchant_id AND x.scope = %1$s AND (x.public OR %2$L)
            UNION ALL
            SELECT v.kind, v.value, x.sign
            FROM
              search.tally_change x
              CROSS JOIN LATERAL search.tallied_values(
                x.type,
                x.status,
                x.lowest_price,
                x.highest_price,
                x.in_stock,
                x.facet_keys
              ) v
            WHERE x.merchant_id = (($1).scope).merchant_id AND %3$s
            UNION ALL
            SELECT 'IN_STOCK', v.value, v.sign
            FROM
              (
                SELECT DISTINCT s.product_id
                FROM search.stale_product s
                WHERE s.merchant_id = (($1).scope).merchant_id
              ) s
              JOIN search.document x
                ON x.merchant_id = (($1).scope).merchant_id AND x.product_id = s.product_id AND %3$s
              CROSS JOIN LATERAL (
                VALUES
                  (x.in_stock::integer, -1),
                  (search.is_stocked(x.merchant_id, x.product_id)::integer, 1)
              ) v (value, sign)
          ) t
        GROUP BY t.kind, t.value
        HAVING sum(t.count) > 0
      ),
      counted_value AS (
        SELECT t.kind, t.value, t.count
        FROM tallied t
        WHERE
          t.kind <> 'KEY'
          AND %4$s
          AND (t.kind <> 'TYPE' OR t.value = 1 OR NOT ($1).products_only)
      ),
      counted_key AS (
        SELECT t.value AS key, NULL::text AS missed, t.count
        FROM tallied t
        WHERE t.kind = 'KEY' AND %5$L
      ),
      $statement$,
      p_scope,
      NOT v_scope.public_only,
      v_of_scope,
      CASE
        WHEN v_scope.products
        AND v_scope.articles THEN 'TRUE'
        WHEN v_scope.products THEN '(t.kind <> ''TYPE'' OR t.value < 3)'
        ELSE '(t.kind = ''TYPE'' AND t.value = 3)'
      END,
      v_scope.products
    );
  END IF;
  RETURN format(
    $statement$
    candidate AS MATERIALIZED (
      SELECT
        search.number_of_type(search.type_of(d)) AS type,
        search.number_of_status(d.status) AS status,
        search.rounded_price(d.lowest_price) AS lowest_price,
        search.rounded_price(d.highest_price) AS highest_price,
        d.facet_keys,
        (%1$s)::integer AS in_stock%2$s
      FROM search.document d
      WHERE %3$s
    ),
    hit AS %4$s,
    counted_value AS MATERIALIZED (
      SELECT x.kind, x.value, x.count
      FROM
        (
          SELECT
            CASE grouping(h.type, h.status, h.in_stock, h.lowest_price, h.highest_price)
              WHEN 15 THEN 'TYPE'
              WHEN 23 THEN 'STATUS'
              WHEN 27 THEN 'IN_STOCK'
              WHEN 29 THEN 'LOWEST_PRICE'
              ELSE 'HIGHEST_PRICE'
            END AS kind,
            coalesce(h.type, h.status, h.in_stock, h.lowest_price, h.highest_price) AS value,
            count(*) AS count
          FROM hit h
          GROUP BY GROUPING SETS ((h.type), (h.status), (h.in_stock), (h.lowest_price), (h.highest_price))
        ) x
      WHERE x.value IS NOT NULL
    ),
    -- A value of an option or attribute is counted as if it had no filter yet: with what misses this filter alone.
    counted_key AS (
      %5$s
    ),
    $statement$,
    search.in_stock_of(v_scope.merchant_id),
    CASE
      WHEN v_groups IS NOT NULL THEN format(', %s AS misses, %s AS missed', v_misses, v_missed)
    END,
    search.matches(p_request, FALSE),
    CASE
      WHEN v_groups IS NULL THEN 'NOT MATERIALIZED (SELECT * FROM candidate)'
      ELSE 'NOT MATERIALIZED (SELECT * FROM candidate c WHERE c.misses = 0)'
    END,
    CASE
      WHEN v_groups IS NULL THEN $keys$
      SELECT k.key, NULL::text AS missed, count(*) AS count
      FROM (SELECT unnest(c.facet_keys) AS key FROM candidate c) k
      GROUP BY k.key
      $keys$
      ELSE format(
        $keys$
        SELECT k.key, (%L::text[])[k.missed] AS missed, count(*) AS count
        FROM (SELECT unnest(c.facet_keys) AS key, c.missed FROM candidate c WHERE c.misses < 2) k
        GROUP BY k.key, k.missed
        $keys$,
        v_names
      )
    END
  );
END;
$$;

-- The scope whose tallies answer a request (search.tally); NULL when its documents have to be counted.
CREATE FUNCTION search.tallied_scope(p_request search.request, p_category_id uuid)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_category_id IS NOT NULL THEN p_request.keys[1]
      ELSE 0
    END
  FROM search.tallied_merchant t
  WHERE
    t.merchant_id = (p_request.scope).merchant_id
    AND t.counted
    AND num_nonnulls(
      p_request.words,
      p_request.types,
      p_request.groups,
      p_request.price_min,
      p_request.price_max,
      p_request.in_stock,
      p_request.status
    ) = 0
    AND coalesce(cardinality(p_request.keys), 0) = num_nonnulls(p_category_id);
$$;
