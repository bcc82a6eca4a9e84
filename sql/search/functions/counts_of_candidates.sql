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
