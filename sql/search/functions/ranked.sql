CREATE FUNCTION search.ranked(p_request search.request, p_matches text)
RETURNS TABLE (document search.document, rank real)
LANGUAGE plpgsql
STABLE
ROWS 1000
-- Of a common word, Postgres would expect to meet enough matches soon, and read all documents when they are elsewhere.
SET enable_seqscan = OFF
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  -- Of each kind as many as pages can show: 1,000 may be passed over, and 101 are read.
  RETURN QUERY EXECUTE
    replace(
      $statement$
      SELECT
        c.document,
        (
          ts_rank('{0.05, 0.2, 0.4, 1}', (c.document).words, ($1).words) + CASE
            WHEN (c.document).title = ($1).title THEN 2
            WHEN starts_with((c.document).title, ($1).title) THEN 1
            ELSE 0
          END + 0.01 / (1 + char_length((c.document).title)) -- Of equal ones, the one that says least else.
        )::real
      FROM
        (
          SELECT DISTINCT ON ((u.document).id) u.document
          FROM
            (
              (
                SELECT d AS document
                FROM search.document d
                WHERE <matches> AND d.title LIKE ($1).title || '%'
                ORDER BY d.title
                LIMIT 1101
              )
              UNION ALL
              (SELECT d FROM search.document d WHERE <matches> AND d.title_words @@ ($1).words LIMIT 1101)
              UNION ALL
              (SELECT d FROM search.document d WHERE <matches> LIMIT 1101)
            ) u
        ) c
      $statement$,
      '<matches>',
      p_matches
    )
    USING p_request;
END;
$$;
