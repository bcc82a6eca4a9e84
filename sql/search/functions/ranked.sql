CREATE FUNCTION search.ranked(p_request search.request, p_matches text)
RETURNS TABLE (id uuid, rank real)
LANGUAGE plpgsql
STABLE
ROWS 1000
-- Of a common word, Postgres would expect to meet enough matches soon, and read all documents when they are elsewhere.
SET enable_seqscan = OFF
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  -- As many as pages can show: 1,000 may be passed over, and 101 are read. If so many have the words in their titles,
  -- no others are looked at. A title's words are words of its document, so the index looks for them once.
  RETURN QUERY EXECUTE
    replace(
      replace(
        $statement$
      WITH
        titled AS MATERIALIZED (
          (
            SELECT d.id, d.title, d.words
            FROM search.document d
            WHERE <matches> AND d.title LIKE ($1).title || '%'
            ORDER BY d.title
            LIMIT 1101
          )
          UNION ALL
          (
            SELECT d.id, d.title, d.words
            FROM search.document d
            WHERE <titles match>
            LIMIT 1101
          )
        ),
        found AS (
          SELECT d.id, d.title, d.words
          FROM search.document d
          WHERE (SELECT count(*) FROM titled) < 1101 AND <matches>
          LIMIT 1101
        )
      SELECT
        c.id,
        (
          ts_rank('{0.05, 0.2, 0.4, 1}', c.words, ($1).words) + CASE
            WHEN c.title = ($1).title THEN 2
            WHEN starts_with(c.title, ($1).title) THEN 1
            ELSE 0
          END + 0.01 / (1 + char_length(c.title)) -- Of equal ones, the one that says least else.
        )::real
      FROM
        (
          SELECT DISTINCT ON (u.id) u.id, u.title, u.words
          FROM
            (
              SELECT t.id, t.title, t.words
              FROM titled t
              UNION ALL
              SELECT f.id, f.title, f.words
              FROM found f
            ) u
        ) c
      $statement$,
        '<titles match>',
        replace(p_matches, 'd.words @@', 'd.title_words @@')
      ),
      '<matches>',
      p_matches
    )
    USING p_request;
END;
$$;
