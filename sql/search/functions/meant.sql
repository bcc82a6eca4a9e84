CREATE FUNCTION search.meant(p_merchant_id uuid, p_word text, p_stemmer text)
RETURNS text
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  -- Of few letters, everything is a likely mistake for everything: of three, only their order may be another.
  v_max_distance integer := CASE
    WHEN char_length(p_word) < 6 THEN 1
    WHEN char_length(p_word) < 9 THEN 2
    ELSE 3
  END;
  v_term text;
  v_words text;
BEGIN
  -- Longer ones are not learned as words.
  IF char_length(p_word) > 60 THEN
    RETURN quote_literal(p_word) || ':*';
  END IF;
  v_term := search.term(p_word, p_stemmer);
  IF
    EXISTS (SELECT FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word LIKE p_word || '%')
    OR EXISTS (SELECT FROM search.document d WHERE d.merchant_id = p_merchant_id AND d.words @@ v_term::tsquery)
  THEN
    RETURN v_term;
  END IF;
  IF char_length(p_word) < 3 THEN
    RETURN NULL;
  END IF;
  SELECT
    string_agg(
      CASE
        WHEN m.distance <= 2 THEN search.term(m.word, p_stemmer)
        ELSE quote_literal(m.word)
      END,
      ' | '
    )
  INTO v_words
  FROM
    (
      SELECT
        c.word,
        CASE
          WHEN search.letters(c.word) = search.letters(p_word) THEN 0
          ELSE levenshtein(c.word, p_word)
        END AS distance
      FROM
        (
          SELECT w.word FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word % p_word
          UNION
          SELECT w.word
          FROM search.word w
          WHERE
            w.merchant_id = p_merchant_id
            AND w.word LIKE left(p_word, 1) || '%'
            AND char_length(w.word) BETWEEN char_length(p_word) - v_max_distance AND char_length(
              p_word
            ) + v_max_distance
            AND levenshtein_less_equal(w.word, p_word, v_max_distance) <= v_max_distance
        ) c
      WHERE
        search.letters(c.word) = search.letters(p_word)
        OR (char_length(p_word) > 3 AND levenshtein_less_equal(c.word, p_word, v_max_distance) <= v_max_distance)
      ORDER BY distance, similarity(c.word, p_word) DESC, c.word
      LIMIT 3
    ) m;
  RETURN '(' || v_words || ')';
END;
$$;
