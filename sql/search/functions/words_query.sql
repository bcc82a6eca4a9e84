CREATE FUNCTION search.words_query(p_merchant_id uuid, p_query text)
RETURNS tsquery
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_stemmer text := search.stemmer_of(p_merchant_id);
  v_words text[] := (search.words_in_order(p_query))[1:10];
  v_stems text[] := search.stems_of(v_words, v_stemmer);
  -- Stop words alone are a query, too.
  v_stop_words text[] := ARRAY(
    SELECT s.word
    FROM search.stop_word s
    WHERE
      s.merchant_id = p_merchant_id
      AND s.word = ANY (v_words)
      AND NOT v_words <@ ARRAY(
        SELECT o.word
        FROM search.stop_word o
        WHERE o.merchant_id = p_merchant_id AND o.word = ANY (v_words)
      )
  );
  v_terms text[] := '{}';
  v_term text;
  v_size integer;
  v_at integer := 1;
BEGIN
  WHILE v_at <= cardinality(v_words) LOOP
    -- The longest text that begins here and has synonyms.
    SELECT cardinality(s.stems)
    INTO v_size
    FROM search.synonym s
    WHERE s.merchant_id = p_merchant_id AND s.stems = v_stems[v_at:v_at + cardinality(s.stems) - 1]
    ORDER BY cardinality(s.stems) DESC
    LIMIT 1;
    IF FOUND THEN
      SELECT '(' || string_agg(DISTINCT t.term, ' | ') || ')'
      INTO v_term
      FROM
        search.synonym s
        JOIN search.synonym o ON o.merchant_id = s.merchant_id AND o.line = s.line
        CROSS JOIN LATERAL (
          SELECT '(' || string_agg(search.term(w, v_stemmer), ' & ') || ')' AS term
          FROM unnest(o.words) AS w
        ) t
      WHERE s.merchant_id = p_merchant_id AND s.stems = v_stems[v_at:v_at + v_size - 1];
    ELSE
      v_size := 1;
      IF NOT v_words[v_at] = ANY (v_stop_words) THEN
        v_term := search.meant(p_merchant_id, v_words[v_at], v_stemmer);
        IF v_term IS NULL THEN
          RETURN NULL;
        END IF;
      ELSE
        v_term := NULL;
      END IF;
    END IF;
    v_terms := v_terms || v_term;
    v_at := v_at + v_size;
  END LOOP;
  RETURN (
    SELECT search.without_prefixes(p_merchant_id, to_tsquery('simple', string_agg(DISTINCT t.term, ' & ')), v_stemmer)
    FROM unnest(v_terms) AS t (term)
    WHERE t.term IS NOT NULL
  );
END;
$$;
