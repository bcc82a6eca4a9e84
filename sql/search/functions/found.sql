CREATE FUNCTION search.found(
  p_scope search.scope,
  p_query text,
  p_types text[],
  p_category_id uuid,
  p_tags text[],
  p_price_min bigint,
  p_price_max bigint,
  p_in_stock boolean,
  p_status text
)
RETURNS SETOF search.hit
LANGUAGE plpgsql
STABLE
ROWS 200
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_words tsquery := search.words_query(p_scope.merchant_id, p_query);
  v_words_in_title tsquery := search.in_title(v_words);
  v_title text := search.normalized(p_query);
  v_products_only boolean := num_nonnulls(p_category_id, p_tags, p_price_min, p_price_max, p_in_stock, p_status) > 0;
BEGIN
  IF v_words IS NULL THEN
    RETURN;
  END IF;
  RETURN QUERY SELECT
      f.merchant_id,
      f.id,
      f.product_id,
      f.category_id,
      f.article_id,
      (
        ts_rank('{0.05, 0.2, 0.4, 1}', f.words, v_words) + CASE
          WHEN f.title = v_title THEN 2
          WHEN starts_with(f.title, v_title) THEN 1
          ELSE 0
        END + 0.01 / (1 + char_length(f.title)) -- Of equal ones, the one that says least else.
      )::real
    FROM
      (
        SELECT d.*
        FROM search.document d
        WHERE
          d.merchant_id = p_scope.merchant_id
          AND d.words @@ v_words
          AND (d.public OR NOT p_scope.public_only)
          AND CASE
            WHEN d.article_id IS NULL THEN p_scope.products
            ELSE p_scope.articles
          END
          AND (
            p_types IS NULL
            OR CASE
              WHEN d.product_id IS NOT NULL THEN 'PRODUCT'
              WHEN d.category_id IS NOT NULL THEN 'CATEGORY'
              ELSE 'ARTICLE'
            END = ANY (p_types)
          )
          AND (
            NOT v_products_only
            OR EXISTS (
              SELECT
              FROM catalog.product p
              WHERE
                p.merchant_id = d.merchant_id
                AND p.id = d.product_id
                AND (p_tags IS NULL OR p.tags @> p_tags)
                AND (p_price_min IS NULL OR p.highest_price >= p_price_min)
                AND (p_price_max IS NULL OR p.lowest_price <= p_price_max)
                AND (p_status IS NULL OR p.status = p_status)
                AND (
                  p_category_id IS NULL
                  OR EXISTS (
                    SELECT
                    FROM catalog.category_product c
                    WHERE c.merchant_id = p.merchant_id AND c.product_id = p.id AND c.category_id = p_category_id
                  )
                )
                AND (
                  p_in_stock IS NULL
                  OR p_in_stock = coalesce(
                    (
                      SELECT TRUE
                      FROM search.stocked_product s
                      WHERE s.merchant_id = p.merchant_id AND s.product_id = p.id
                      LIMIT 1
                    ),
                    FALSE
                  )
                )
            )
          )
        ORDER BY d.words @@ v_words_in_title DESC, d.id
        LIMIT 5000
      ) f;
END;
$$;
