CREATE FUNCTION search.normalized(p_text text)
RETURNS text
LANGUAGE sql
STABLE
PARALLEL SAFE
AS $$
  SELECT trim(regexp_replace(lower(public.unaccent(coalesce(p_text, ''))), '[\s!-/:-@\[-`{-~]+', ' ', 'g'));
$$;

CREATE FUNCTION search.stemmer_of(p_merchant_id uuid)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      (
        SELECT l.stemmer
        FROM
          merchant.settings s
          JOIN platform.language l ON l.code = s.language
        WHERE s.merchant_id = p_merchant_id
      ),
      'english'
    );
$$;

CREATE FUNCTION search.labels_of(p_product catalog.product)
RETURNS text
LANGUAGE sql
STABLE
PARALLEL SAFE
AS $$
  SELECT concat_ws(' ', p_product.sku, array_to_string(p_product.tags, ' '), p_product.variant_skus);
$$;

CREATE FUNCTION search.weighed(p_text text, p_stemmer text, p_weight "char")
RETURNS tsvector
LANGUAGE sql
STABLE
PARALLEL SAFE
AS $$
  SELECT setweight(to_tsvector('simple', n.text) || to_tsvector(p_stemmer::regconfig, n.text), p_weight)
  FROM (SELECT search.normalized(p_text) AS text) n;
$$;

CREATE FUNCTION search.words_of(p_text text)
RETURNS text[]
LANGUAGE sql
STABLE
PARALLEL SAFE
AS $$
  SELECT tsvector_to_array(to_tsvector('simple', search.normalized(p_text)));
$$;

CREATE FUNCTION search.learn_words(p_merchant_id uuid, p_words text[])
RETURNS void
LANGUAGE plpgsql
-- Planned anew: a plan that was made for an empty vocabulary would read all of a large one for each word.
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  INSERT INTO search.word (merchant_id, word)
  SELECT p_merchant_id, n.word
  FROM (SELECT DISTINCT word FROM unnest(p_words) AS word WHERE char_length(word) <= 60) n
  WHERE NOT EXISTS (SELECT FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word = n.word);
END;
$$;

CREATE FUNCTION search.write_products(p_products catalog.product[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM search.document d
  USING unnest(p_products) p
  WHERE p.deleted_at IS NOT NULL AND d.merchant_id = p.merchant_id AND d.product_id = p.id;
  INSERT INTO search.document (merchant_id, product_id, title, shown_title, public, stemmer, words)
  SELECT
    p.merchant_id,
    p.id,
    search.normalized(p.name),
    p.name,
    p.status = 'ACTIVE',
    m.stemmer,
    search.weighed(p.name, m.stemmer, 'A') || search.weighed(search.labels_of(p), m.stemmer, 'B') || search.weighed(
      p.description,
      m.stemmer,
      'D'
    )
  FROM
    unnest(p_products) p
    JOIN (
      SELECT o.merchant_id, search.stemmer_of(o.merchant_id) AS stemmer
      FROM (SELECT DISTINCT merchant_id FROM unnest(p_products)) o
    ) m
      ON m.merchant_id = p.merchant_id
  WHERE p.deleted_at IS NULL
  ORDER BY p.merchant_id, p.id
  ON CONFLICT (merchant_id, product_id) DO UPDATE
    SET
      title = excluded.title,
      shown_title = excluded.shown_title,
      public = excluded.public,
      stemmer = excluded.stemmer,
      words = excluded.words;
  PERFORM search.learn_words(l.merchant_id, l.words)
  FROM
    (
      SELECT p.merchant_id, array_agg(DISTINCT w.word) AS words
      FROM
        unnest(p_products) p
        CROSS JOIN LATERAL unnest(search.words_of(concat_ws(' ', p.name, search.labels_of(p), p.description))) AS w (
          word
        )
      WHERE p.deleted_at IS NULL
      GROUP BY p.merchant_id
    ) l;
END;
$$;

CREATE FUNCTION search.write_category(p_merchant_id uuid, p_category_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_category catalog.category;
  v_stemmer text := search.stemmer_of(p_merchant_id);
BEGIN
  SELECT * INTO STRICT v_category FROM catalog.category c WHERE c.merchant_id = p_merchant_id AND c.id = p_category_id;
  INSERT INTO search.document (merchant_id, category_id, title, shown_title, public, stemmer, words)
  VALUES
    (
      p_merchant_id,
      p_category_id,
      search.normalized(v_category.name),
      v_category.name,
      TRUE,
      v_stemmer,
      search.weighed(v_category.name, v_stemmer, 'A') || search.weighed(v_category.description, v_stemmer, 'C')
    )
  ON CONFLICT (merchant_id, category_id) DO UPDATE
    SET
      title = excluded.title,
      shown_title = excluded.shown_title,
      stemmer = excluded.stemmer,
      words = excluded.words;
  PERFORM
    search.learn_words(p_merchant_id, search.words_of(concat_ws(' ', v_category.name, v_category.description)));
END;
$$;

CREATE FUNCTION search.write_article(p_merchant_id uuid, p_article_id uuid)
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_article search.article;
  v_stemmer text := search.stemmer_of(p_merchant_id);
BEGIN
  SELECT * INTO STRICT v_article FROM search.article a WHERE a.merchant_id = p_merchant_id AND a.id = p_article_id;
  INSERT INTO search.document (merchant_id, article_id, title, shown_title, public, stemmer, words)
  VALUES
    (
      p_merchant_id,
      p_article_id,
      search.normalized(v_article.name),
      v_article.name,
      v_article.status = 'PUBLISHED',
      v_stemmer,
      search.weighed(v_article.name, v_stemmer, 'A') || search.weighed(
        array_to_string(v_article.tags, ' '),
        v_stemmer,
        'B'
      ) || search.weighed(v_article.excerpt, v_stemmer, 'C') || search.weighed(v_article.body, v_stemmer, 'D')
    )
  ON CONFLICT (merchant_id, article_id) DO UPDATE
    SET
      title = excluded.title,
      shown_title = excluded.shown_title,
      public = excluded.public,
      stemmer = excluded.stemmer,
      words = excluded.words;
  PERFORM
    search.learn_words(
      p_merchant_id,
      search.words_of(
        concat_ws(' ', v_article.name, array_to_string(v_article.tags, ' '), v_article.excerpt, v_article.body)
      )
    );
END;
$$;

-- answers: integer
CREATE FUNCTION search.rewrite_documents(p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant_id uuid;
  v_document record;
  v_written integer := 0;
BEGIN
  SELECT c.merchant_id
  INTO v_merchant_id
  FROM search.changed_language c
  ORDER BY c.merchant_id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  FOR v_document IN SELECT o.product_id, o.category_id, o.article_id
  FROM search.document o
  WHERE o.merchant_id = v_merchant_id AND o.stemmer <> search.stemmer_of(v_merchant_id)
  ORDER BY o.id
  LIMIT p_limit
  FOR NO KEY UPDATE SKIP LOCKED LOOP
    IF v_document.product_id IS NOT NULL THEN
      PERFORM search.write_products(array_agg(p))
      FROM catalog.product p
      WHERE p.merchant_id = v_merchant_id AND p.id = v_document.product_id;
    ELSEIF v_document.category_id IS NOT NULL THEN
      PERFORM search.write_category(v_merchant_id, v_document.category_id);
    ELSE
      PERFORM search.write_article(v_merchant_id, v_document.article_id);
    END IF;
    v_written := v_written + 1;
  END LOOP;
  IF v_written = 0 THEN
    DELETE FROM search.changed_language c WHERE c.merchant_id = v_merchant_id;
    -- Another merchant may wait.
    RETURN search.rewrite_documents(p_limit);
  END IF;
  RETURN v_written;
END;
$$;

CREATE FUNCTION search.letters(p_word text)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT string_agg(letter, '' ORDER BY letter) FROM regexp_split_to_table(p_word, '') AS letter;
$$;

CREATE FUNCTION search.term(p_word text, p_stemmer text)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN s.stem IS NULL
      OR s.stem = p_word THEN quote_literal(p_word) || ':*'
      WHEN starts_with(p_word, s.stem)
      AND char_length(s.stem) >= greatest(3, char_length(p_word) - 2) THEN quote_literal(s.stem) || ':*'
      ELSE '(' || quote_literal(p_word) || ':* | ' || quote_literal(s.stem) || ')'
    END
  FROM (SELECT (ts_lexize((p_stemmer || '_stem')::regdictionary, p_word))[1] AS stem) s;
$$;

CREATE FUNCTION search.words_query(p_merchant_id uuid, p_query text)
RETURNS tsquery
LANGUAGE sql
STABLE
AS $$
  SELECT
    CASE
      WHEN count(*) > 0
      AND bool_and(t.term IS NOT NULL) THEN to_tsquery('simple', string_agg(t.term, ' & '))
    END
  FROM
    (
      SELECT search.meant(p_merchant_id, x.word, search.stemmer_of(p_merchant_id)) AS term
      FROM
        (
          SELECT DISTINCT word
          FROM regexp_split_to_table(search.normalized(p_query), ' ') AS word
          WHERE word <> ''
          LIMIT 10
        ) x
    ) t;
$$;

CREATE FUNCTION search.in_title(p_words tsquery)
RETURNS tsquery
LANGUAGE sql
STABLE
AS $$
  -- Every word ends with its quote, and perhaps the mark of a prefix.
  SELECT regexp_replace(p_words::text, '''(:\*)?(?=\s|\)|$)', ''':*A', 'g')::tsquery;
$$;

CREATE FUNCTION search.scope_of(hasura_session json)
RETURNS search.scope
LANGUAGE sql
STABLE
AS $$
  SELECT
    ROW(
      (hasura_session ->> 'x-hasura-merchant-id')::uuid,
      hasura_session ->> 'x-hasura-role' IN ('customer', 'guest'),
      hasura_session ->> 'x-hasura-role' IN ('customer', 'guest') OR 'products:read' = ANY (p.permissions),
      hasura_session ->> 'x-hasura-role' IN ('customer', 'guest') OR 'articles:read' = ANY (p.permissions)
    )::search.scope
  FROM (SELECT coalesce(hasura_session ->> 'x-hasura-permissions', '{}')::text[] AS permissions) p;
$$;

CREATE FUNCTION search.search(
  hasura_session json,
  query text,
  types text[] DEFAULT NULL,
  category_id uuid DEFAULT NULL,
  tags text[] DEFAULT NULL,
  price_min bigint DEFAULT NULL,
  price_max bigint DEFAULT NULL,
  in_stock boolean DEFAULT NULL,
  status text DEFAULT NULL
)
RETURNS SETOF search.hit
LANGUAGE sql
STABLE
ROWS 200
AS $$
  SELECT *
  FROM
    search.found(
      search.scope_of(hasura_session),
      query,
      types,
      category_id,
      tags,
      price_min,
      price_max,
      in_stock,
      status
    );
$$;
