-- Looks in one large merchant's documents for the words that most of them have, once a day, and has a job count the
-- documents of each (search.tallied_scope): of at most p_words words, which p_documents or more have. Every so many
-- documents one is read, 2,000 in all. Returns how many merchants it looked at: 0 when none is due.
--
-- answers: integer
CREATE FUNCTION search.tally_common_words(p_documents integer, p_words integer)
RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_merchant_id uuid;
BEGIN
  SELECT t.merchant_id
  INTO v_merchant_id
  FROM search.tallied_scope t
  WHERE t.scope = 0 AND t.counted AND (t.words_chosen_at IS NULL OR t.words_chosen_at < now() - INTERVAL '1 day')
  ORDER BY t.words_chosen_at NULLS FIRST, t.merchant_id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  UPDATE search.tallied_scope t SET words_chosen_at = now() WHERE t.merchant_id = v_merchant_id AND t.scope = 0;
  WITH
    common AS MATERIALIZED (SELECT * FROM search.common_words(v_merchant_id)),
    -- Words that have become a little rarer stay, so that none comes and goes each day.
    ended AS (
      DELETE FROM search.tallied_scope t
      WHERE
        t.merchant_id = v_merchant_id
        AND t.scope <> 0
        AND NOT EXISTS (SELECT FROM common c WHERE c.words = t.words AND c.documents * 2 >= p_documents)
      RETURNING t.scope
    ),
    ended_tally AS (
      DELETE FROM search.tally t
      USING ended e
      WHERE t.merchant_id = v_merchant_id AND t.scope = e.scope
    ),
    kept AS (
      SELECT t.scope
      FROM search.tallied_scope t
      WHERE t.merchant_id = v_merchant_id AND t.scope <> 0 AND t.scope NOT IN (SELECT e.scope FROM ended e)
    )
  INSERT INTO search.tallied_scope (merchant_id, scope, words)
  SELECT v_merchant_id, c.scope, c.words
  FROM common c
  WHERE c.documents >= p_documents AND c.scope NOT IN (SELECT k.scope FROM kept k)
  -- People look for what titles say.
  ORDER BY c.titles DESC, c.documents DESC, c.scope
  LIMIT greatest(p_words - (SELECT count(*) FROM kept), 0);
  RETURN 1;
END;
$$;

-- The queries of one word that find many of a merchant's documents, with estimates of how many documents and titles
-- have the word itself.
CREATE FUNCTION search.common_words(p_merchant_id uuid)
RETURNS TABLE (scope bigint, words tsquery, documents bigint, titles bigint)
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_stemmer regconfig := search.stemmer_of(p_merchant_id)::regconfig;
  v_step bigint := (
    SELECT greatest(count(*) / 2000, 1)
    FROM search.document d
    WHERE d.merchant_id = p_merchant_id
  );
BEGIN
  RETURN QUERY WITH
      sampled AS (
        SELECT d.words
        FROM
          (
            SELECT o.id, row_number() OVER (ORDER BY o.id) AS place
            FROM search.document o
            WHERE o.merchant_id = p_merchant_id
          ) p
          JOIN search.document d ON d.merchant_id = p_merchant_id AND d.id = p.id
        WHERE p.place % v_step = 0
      ),
      counted AS (
        SELECT
          l.lexeme,
          count(*) * v_step AS documents,
          count(*) FILTER (WHERE 'A' = ANY (l.weights)) * v_step AS titles
        FROM
          sampled s
          CROSS JOIN LATERAL unnest(s.words) l
        GROUP BY l.lexeme
        -- One in a hundred, so that few are looked at further. Words like "the" are left out.
        HAVING count(*) >= 20 AND to_tsvector(v_stemmer, l.lexeme) <> ''
      )
    SELECT search.facet_key('WORD', '', q.words::text), q.words, max(c.documents), max(c.titles)
    FROM
      counted c
      CROSS JOIN LATERAL (SELECT search.words_query(p_merchant_id, c.lexeme) AS words OFFSET 0) q
    WHERE q.words IS NOT NULL
    GROUP BY q.words;
END;
$$;
