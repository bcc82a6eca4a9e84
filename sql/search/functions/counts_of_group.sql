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
    search.tallied_counts(p_request, p_scope),
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
