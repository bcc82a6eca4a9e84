-- The head of the statement of search.facets: what its counts are made of. counted_value has the kinds of
-- search.tallied_values but keys, each value with its count. counted_key has the keys, and in `missed` the one group
-- whose filter these documents miss.
--
-- p_scope is set when search.tally has the counts of the request without its groups (search.tallied_scope_of).
CREATE FUNCTION search.facet_counts(p_request search.request, p_scope bigint)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_request.groups IS NULL
      AND p_scope IS NOT NULL THEN search.counts_of_tally(p_request, p_scope)
      WHEN p_request.groups IS NULL THEN search.counts_of_results(p_request)
      WHEN cardinality(p_request.groups) = 1
      AND p_scope IS NOT NULL THEN search.counts_of_group(p_request, p_scope)
      ELSE search.counts_of_candidates(p_request)
    END;
$$;

CREATE FUNCTION search.counts_of_tally(p_request search.request, p_scope bigint)
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
      search.tallied_counts(p_request, p_scope),
      search.is_counted_value(p_request.scope),
      (p_request.scope).products
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

-- The scope of search.tally that has the counts of a request without its groups: all documents (0), the category or the
-- common word with this key. NULL when its documents have to be counted.
CREATE FUNCTION search.tallied_scope_of(p_request search.request, p_category_id uuid)
RETURNS bigint
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN p_category_id IS NOT NULL THEN p_request.keys[1]
      ELSE t.scope
    END
  FROM search.tallied_scope t
  WHERE
    t.merchant_id = (p_request.scope).merchant_id
    AND t.counted
    AND CASE
      WHEN p_request.words IS NULL THEN t.scope = 0
      ELSE t.words = p_request.words
    END
    AND num_nonnulls(
      p_request.types,
      p_request.price_min,
      p_request.price_max,
      p_request.in_stock,
      p_request.status
    ) = 0
    AND num_nonnulls(p_request.words, p_category_id) < 2
    AND coalesce(cardinality(p_request.keys), 0) = num_nonnulls(p_category_id);
$$;
