-- The query with each beginning of words replaced by these words and their stems, where the merchant's documents have
-- few of them. An index finds a whole word at once, but puts the documents of a beginning together first.
CREATE FUNCTION search.without_prefixes(p_merchant_id uuid, p_query tsquery, p_stemmer text)
RETURNS tsquery
LANGUAGE plpgsql
STABLE
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_query text := p_query::text;
  v_prefix text;
  v_words text[];
BEGIN
  FOR v_prefix IN SELECT DISTINCT m.parts[1] FROM regexp_matches(v_query, '''([^''\\]+)'':\*', 'g') AS m (parts) LOOP
    v_words := ARRAY(
      SELECT w.word
      FROM search.word w
      WHERE w.merchant_id = p_merchant_id AND w.word LIKE replace(replace(v_prefix, '%', '\%'), '_', '\_') || '%'
      LIMIT 21
    );
    IF cardinality(v_words) <= 20 THEN
      v_query := replace(
        v_query,
        quote_literal(v_prefix) || ':*',
        (
          SELECT '( ' || string_agg(DISTINCT quote_literal(l.lexeme), ' | ') || ' )'
          FROM unnest(ARRAY[v_prefix] || v_words || search.stems_of(v_words, p_stemmer)) AS l (lexeme)
        )
      );
    END IF;
  END LOOP;
  RETURN v_query::tsquery;
END;
$$;
