-- As many as pages can show: 1,000 may be passed over, and 101 are read. If so many have the words in their titles, no
-- others are looked at. The index finds all documents of the words, however few are read then, so it is asked once
-- where that is likely to be enough: for all documents of few, and for the titles of many.
CREATE FUNCTION search.ranked(p_request search.request, p_matches text)
RETURNS TABLE (id uuid, rank real)
LANGUAGE plpgsql
STABLE
ROWS 1000
-- Of a common word, Postgres would expect to meet enough matches soon, and read all documents when they are elsewhere.
SET enable_seqscan = OFF
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_most CONSTANT integer := 1101;
  v_few boolean := search.expected_count(p_request) < v_most;
  v_found text := format(
    'found AS MATERIALIZED (SELECT <ranked> FROM search.document d WHERE %s AND <matches> LIMIT <most>)',
    CASE
      WHEN v_few THEN 'TRUE'
      ELSE '(SELECT count(*) FROM titled) < <most>'
    END
  );
  v_titled text := format(
    'titled AS MATERIALIZED (SELECT <ranked> FROM search.document d WHERE %s AND <titles match> LIMIT <most>)',
    CASE
      WHEN v_few THEN '(SELECT count(*) FROM found) = <most>'
      ELSE 'TRUE'
    END
  );
  v_statement text := format(
    $statement$
    WITH
      %s,
      %s,
      beginning AS (
        SELECT <ranked>
        FROM search.document d
        WHERE (SELECT count(*) FROM titled) = <most> AND <matches> AND d.title LIKE ($1).title || '%%'
        ORDER BY d.title
        LIMIT <most>
      )
    SELECT t.id, t.rank FROM titled t
    UNION
    SELECT b.id, b.rank FROM beginning b
    UNION
    SELECT f.id, f.rank FROM found f WHERE (SELECT count(*) FROM titled) < <most>
    $statement$,
    CASE
      WHEN v_few THEN v_found
      ELSE v_titled
    END,
    CASE
      WHEN v_few THEN v_titled
      ELSE v_found
    END
  );
  v_ranked text := $columns$
    d.id,
    (
      ts_rank('{0.05, 0.2, 0.4, 1}', d.words, ($1).words) + CASE
        WHEN d.title = ($1).title THEN 2
        WHEN starts_with(d.title, ($1).title) THEN 1
        ELSE 0
      END + 0.01 / (1 + char_length(d.title)) -- Of equal ones, the one that says least else.
    )::real AS rank
  $columns$;
BEGIN
  v_statement := replace(v_statement, '<ranked>', v_ranked);
  v_statement := replace(v_statement, '<titles match>', replace(p_matches, 'd.words @@', 'd.title_words @@'));
  v_statement := replace(v_statement, '<most>', v_most::text);
  RETURN QUERY EXECUTE replace(v_statement, '<matches>', p_matches) USING p_request;
END;
$$;

-- How many documents are likely to have all words of a request, by how many have each common word. NULL when the
-- merchant's documents aren't counted (search.tallied_scope).
CREATE FUNCTION search.expected_count(p_request search.request)
RETURNS double precision
LANGUAGE sql
STABLE
AS $$
  WITH
    counted AS (
      SELECT t.scope, greatest(sum(k.count), 1)::double precision AS count
      FROM
        search.tallied_scope t
        JOIN search.tally k ON k.merchant_id = t.merchant_id AND k.scope = t.scope AND k.kind = 'TYPE'
      WHERE
        t.merchant_id = (p_request.scope).merchant_id
        AND t.counted
        -- All its words are in the request.
        AND (t.scope = 0 OR t.words <@ p_request.words)
      GROUP BY t.scope
    ),
    everything AS (SELECT c.count FROM counted c WHERE c.scope = 0)
  SELECT e.count * (SELECT coalesce(exp(sum(ln(c.count / e.count))), 1) FROM counted c WHERE c.scope <> 0)
  FROM everything e;
$$;
