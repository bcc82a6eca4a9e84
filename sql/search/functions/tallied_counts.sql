-- The entry of a statement's WITH that has the counts of search.tally as they are now, of the scope that
-- search.tallied_scope_of has found for the request.
CREATE FUNCTION search.tallied_counts(p_request search.request, p_scope bigint)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    format(
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
            WHERE x.merchant_id = (($1).scope).merchant_id AND (x.public OR %2$L) AND %3$s
            UNION ALL
            SELECT 'IN_STOCK', v.value, v.sign
            FROM
              (
                SELECT DISTINCT s.product_id
                FROM search.stale_product s
                WHERE s.merchant_id = (($1).scope).merchant_id
              ) s
              JOIN search.document x
                ON
                  x.merchant_id = (($1).scope).merchant_id
                  AND x.product_id = s.product_id
                  AND (x.public OR %2$L)
                  AND %4$s
              CROSS JOIN LATERAL (
                VALUES
                  (x.in_stock::integer, -1),
                  (search.is_stocked(x.merchant_id, x.product_id)::integer, 1)
              ) v (value, sign)
          ) t
        GROUP BY t.kind, t.value
        HAVING sum(t.count) > 0
      )
      $statement$,
      p_scope,
      NOT (p_request.scope).public_only,
      CASE
        WHEN p_scope = 0 THEN 'TRUE'
        WHEN p_request.words IS NULL THEN format('x.facet_keys @> ARRAY[%s]::bigint[]', p_scope)
        ELSE format('x.word_scopes @> ARRAY[%s]::bigint[]', p_scope)
      END,
      CASE
        WHEN p_scope = 0 THEN 'TRUE'
        WHEN p_request.words IS NULL THEN format('x.facet_keys @> ARRAY[%s]::bigint[]', p_scope)
        ELSE 'x.words @@ ($1).words'
      END
    );
$$;
