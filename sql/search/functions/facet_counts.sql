-- The head of the statement of search.facets: what its counts are made of. counted_value has the kinds of
-- search.tallied_values but keys, each value with its count. counted_key has the keys, and in `missed` the one group
-- whose filter these documents miss.
--
-- p_scope is set when search.tally has the counts of the request without its groups (search.tallied_scope).
CREATE FUNCTION search.facet_counts(p_request search.request, p_scope bigint)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_request.groups IS NULL
      AND p_scope IS NOT NULL THEN search.counts_of_tally(p_request.scope, p_scope)
      WHEN p_request.groups IS NULL THEN search.counts_of_results(p_request)
      WHEN cardinality(p_request.groups) = 1
      AND p_scope IS NOT NULL THEN search.counts_of_group(p_request, p_scope)
      ELSE search.counts_of_candidates(p_request)
    END;
$$;

CREATE FUNCTION search.counts_of_tally(p_of search.scope, p_scope bigint)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    format(
      $statement$
      %1$s,
      counted_value AS (SELECT t.kind, t.value, t.count FROM tallied t WHERE %2$s),
      counted_key AS (
        SELECT t.value AS key, NULL::text AS missed, t.count
        FROM tallied t
        WHERE t.kind = 'KEY' AND %3$L
      ),
      $statement$,
      search.tallied_counts(p_scope, p_of.public_only),
      search.is_counted_value(p_of),
      p_of.products
    );
$$;

-- Of the rows of `tallied` as t, the ones of values that the caller may count.
CREATE FUNCTION search.is_counted_value(p_of search.scope)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    concat(
      't.kind <> ''KEY'' AND (t.kind <> ''TYPE'' OR t.value = 1 OR NOT ($1).products_only) AND ',
      CASE
        WHEN p_of.products
        AND p_of.articles THEN 'TRUE'
        WHEN p_of.products THEN '(t.kind <> ''TYPE'' OR t.value < 3)'
        ELSE '(t.kind = ''TYPE'' AND t.value = 3)'
      END
    );
$$;

CREATE FUNCTION search.counts_of_results(p_request search.request)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    format(
      $statement$
      result AS MATERIALIZED (SELECT %1$s FROM search.document d WHERE %2$s),
      counted_value AS MATERIALIZED (%3$s),
      counted_key AS (
        SELECT k.key, NULL::text AS missed, count(*) AS count
        FROM (SELECT unnest(r.facet_keys) AS key FROM result r) k
        GROUP BY k.key
      ),
      $statement$,
      search.counted_columns(p_request.scope),
      search.matches(p_request, TRUE),
      search.values_of('result')
    );
$$;

-- The tally has the counts without the request's one group: its results, and the documents that miss the group. The
-- fewer of the two are read, and what they count to is taken from the tally.
CREATE FUNCTION search.counts_of_group(p_request search.request, p_scope bigint)
RETURNS text
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
  v_group search.key_group := p_request.groups[1];
  -- A document with two of the keys counts twice, so there may be fewer results.
  v_reads_others boolean := (
    SELECT
      coalesce(sum(t.count) FILTER (WHERE t.kind = 'KEY'), 0) * 2 > coalesce(
        sum(t.count) FILTER (WHERE t.kind = 'TYPE'),
        0
      )
    FROM search.tally t
    WHERE
      t.merchant_id = (p_request.scope).merchant_id
      AND t.scope = p_scope
      AND (t.kind = 'KEY' AND t.value = ANY (v_group.keys) OR t.kind = 'TYPE' AND t.value = 1)
      AND (t.public OR NOT (p_request.scope).public_only)
  );
BEGIN
  RETURN format(
    $statement$
    %1$s,
    read AS MATERIALIZED (
      SELECT %2$s
      FROM search.document d
      WHERE %3$s AND %4$s (d.facet_keys && %5$L::bigint[])
    ),
    read_count AS (
      SELECT v.kind, v.value, v.count
      FROM (%6$s) v
      UNION ALL
      SELECT 'KEY', k.key, count(*)
      FROM (SELECT unnest(r.facet_keys) AS key FROM read r) k
      GROUP BY k.key
    ),
    result_count AS MATERIALIZED (%7$s),
    counted_value AS (SELECT t.kind, t.value, t.count FROM result_count t WHERE %8$s),
    -- The group's own values are counted as if it had no filter.
    counted_key AS (
      SELECT t.value AS key, NULL::text AS missed, t.count
      FROM result_count t
      WHERE t.kind = 'KEY' AND %9$L
      UNION ALL
      SELECT t.value, %10$L, t.count
      FROM tallied t
      WHERE t.kind = 'KEY' AND %9$L
      UNION ALL
      SELECT t.value, %10$L, -t.count
      FROM result_count t
      WHERE t.kind = 'KEY' AND %9$L
    ),
    $statement$,
    search.tallied_counts(p_scope, (p_request.scope).public_only),
    search.counted_columns(p_request.scope),
    search.matches(p_request, FALSE),
    CASE
      WHEN v_reads_others THEN 'NOT'
    END,
    v_group.keys,
    search.values_of('read'),
    CASE
      WHEN v_reads_others THEN $others$
      SELECT c.kind, c.value, sum(c.count) AS count
      FROM (
        SELECT t.kind, t.value, t.count FROM tallied t
        UNION ALL
        SELECT r.kind, r.value, -r.count FROM read_count r
      ) c
      GROUP BY c.kind, c.value
      HAVING sum(c.count) > 0
      $others$
      ELSE 'SELECT r.kind, r.value, r.count FROM read_count r'
    END,
    search.is_counted_value(p_request.scope),
    (p_request.scope).products,
    v_group.name
  );
END;
$$;

-- With the results, the documents that miss one group are read.
CREATE FUNCTION search.counts_of_candidates(p_request search.request)
RETURNS text
LANGUAGE plpgsql
STABLE
AS $$
DECLARE
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
BEGIN
  RETURN format(
    $statement$
    candidate AS MATERIALIZED (
      SELECT %1$s, %2$s AS misses, %3$s AS missed
      FROM search.document d
      WHERE %4$s
    ),
    hit AS NOT MATERIALIZED (SELECT * FROM candidate c WHERE c.misses = 0),
    counted_value AS MATERIALIZED (%5$s),
    -- A value of an option or attribute is counted as if it had no filter yet: with what misses this filter alone.
    counted_key AS (
      SELECT k.key, (%6$L::text[])[k.missed] AS missed, count(*) AS count
      FROM (SELECT unnest(c.facet_keys) AS key, c.missed FROM candidate c WHERE c.misses < 2) k
      GROUP BY k.key, k.missed
    ),
    $statement$,
    search.counted_columns(p_request.scope),
    v_misses,
    v_missed,
    search.matches(p_request, FALSE),
    search.values_of('hit'),
    ARRAY(SELECT g.name FROM unnest(v_groups) g)
  );
END;
$$;

CREATE FUNCTION search.counted_columns(p_of search.scope)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    format(
      $columns$
      search.number_of_type(search.type_of(d)) AS type,
      search.number_of_status(d.status) AS status,
      search.rounded_price(d.lowest_price) AS lowest_price,
      search.rounded_price(d.highest_price) AS highest_price,
      d.facet_keys,
      (%s)::integer AS in_stock
      $columns$,
      search.in_stock_of(p_of.merchant_id)
    );
$$;

CREATE FUNCTION search.values_of(p_documents text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    format(
      $statement$
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
          FROM %I h
          GROUP BY GROUPING SETS ((h.type), (h.status), (h.in_stock), (h.lowest_price), (h.highest_price))
        ) x
      WHERE x.value IS NOT NULL
      $statement$,
      p_documents
    );
$$;

-- The scope of search.tally that has the counts of a request without its groups: all documents (0), or the category
-- with this key. NULL when its documents have to be counted.
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
      p_request.price_min,
      p_request.price_max,
      p_request.in_stock,
      p_request.status
    ) = 0
    AND coalesce(cardinality(p_request.keys), 0) = num_nonnulls(p_category_id);
$$;
