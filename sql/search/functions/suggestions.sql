CREATE FUNCTION search.suggestions(hasura_session json, query text)
RETURNS SETOF search.suggestion
LANGUAGE plpgsql
STABLE
SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp
ROWS 20
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_scope search.scope := search.scope_of(hasura_session);
  v_title text := search.normalized(query);
  v_words tsquery := search.words_query(v_scope.merchant_id, query);
BEGIN
  IF v_title = '' OR v_words IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY WITH
      candidate AS (
        (
          SELECT d.*, 1 AS bonus
          FROM search.document d
          WHERE
            d.merchant_id = v_scope.merchant_id
            AND d.title LIKE v_title || '%'
            AND (d.public OR NOT v_scope.public_only)
            AND CASE
              WHEN d.article_id IS NULL THEN v_scope.products
              ELSE v_scope.articles
            END
          ORDER BY d.title
          LIMIT 200
        )
        UNION ALL
        (
          SELECT d.*, 0
          FROM search.document d
          -- In the title only: that is what is suggested.
          WHERE
            d.merchant_id = v_scope.merchant_id
            AND d.words @@ search.in_title(v_words)
            AND (d.public OR NOT v_scope.public_only)
            AND CASE
              WHEN d.article_id IS NULL THEN v_scope.products
              ELSE v_scope.articles
            END
          LIMIT 500
        )
      )
    SELECT DISTINCT ON (c.shown_title)
      c.merchant_id,
      c.shown_title,
      CASE
        WHEN c.product_id IS NOT NULL THEN 'PRODUCT'
        WHEN c.category_id IS NOT NULL THEN 'CATEGORY'
        ELSE 'ARTICLE'
      END,
      (c.bonus + 1.0 / (1 + char_length(c.title)))::real
    FROM candidate c
    ORDER BY c.shown_title, c.bonus DESC;
END;
$$;
