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

-- Words as documents have them, in the order of the text: Postgres takes 04e7ff for 04e7 (a number) and ff.
CREATE FUNCTION search.words_in_order(p_text text)
RETURNS text[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(w.token ORDER BY w.place), '{}')
  FROM ts_parse('default', search.normalized(p_text)) WITH ORDINALITY AS w (kind, token, place)
  WHERE w.kind <> 12; -- Blanks, and signs that no word has.
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

CREATE FUNCTION search.facet_key(p_kind text, p_name text, p_value text)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT hashtextextended(p_kind || E'\x1f' || p_name || E'\x1f' || p_value, 0);
$$;

CREATE FUNCTION search.option_key(p_name text, p_value text)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  -- In any case, as a product's options are told apart.
  SELECT search.facet_key('OPTION', lower(p_name), lower(p_value));
$$;

CREATE FUNCTION search.attribute_key(p_namespace text, p_key text, p_value text)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT search.facet_key('ATTRIBUTE', p_namespace || '.' || p_key, p_value);
$$;

-- What a value of metadata is found by: each entry of a list, and one text for each number. Values of another type than
-- the definition's are older than it.
CREATE FUNCTION search.attribute_values(p_type text, p_value jsonb)
RETURNS SETOF text
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
ROWS 1
AS $$
  SELECT x.value
  FROM
    (
      SELECT
        CASE
          WHEN p_type IN ('INTEGER', 'DECIMAL') THEN trim_scale((p_value #>> '{}')::numeric)::text
          ELSE p_value #>> '{}'
        END AS value
      WHERE
        jsonb_typeof(p_value) = CASE
          WHEN p_type IN ('INTEGER', 'DECIMAL') THEN 'number'
          WHEN p_type = 'BOOLEAN' THEN 'boolean'
          WHEN p_type <> 'LIST_OF_TEXT' THEN 'string'
        END
      UNION ALL
      SELECT e.value #>> '{}'
      FROM
        jsonb_array_elements(
          CASE jsonb_typeof(p_value)
            WHEN 'array' THEN p_value
            ELSE '[]'
          END
        ) WITH ORDINALITY AS e (value, place)
      WHERE p_type = 'LIST_OF_TEXT' AND e.place <= 100 AND jsonb_typeof(e.value) = 'string'
    ) x
  -- Longer texts are no values to choose from.
  WHERE char_length(x.value) BETWEEN 1 AND 200;
$$;

-- Of values that exclude no other of the same name: those of one option, in any case, and those of one attribute.
CREATE FUNCTION search.group_name(p_kind text, p_name text)
RETURNS text
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT
    CASE p_kind
      WHEN 'OPTION' THEN 'OPTION ' || lower(p_name)
      ELSE p_kind || ' ' || p_name
    END;
$$;

-- The keys that a filter by an attribute asks for: {namespace, key} with the values, or with min and max.
CREATE FUNCTION search.attribute_keys(p_merchant_id uuid, p_filter jsonb)
RETURNS bigint[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(DISTINCT k.key), '{}')
  FROM
    (
      SELECT
        search.attribute_key(
          p_filter ->> 'namespace',
          p_filter ->> 'key',
          CASE
            WHEN x.value ~ '^-?\d{1,100}(\.\d{1,100})?$'
            AND EXISTS (
              SELECT
              FROM metadata.definition d
              WHERE
                d.merchant_id = p_merchant_id
                AND d.is_attribute
                AND d.namespace = p_filter ->> 'namespace'
                AND d.key = p_filter ->> 'key'
                AND d.type IN ('INTEGER', 'DECIMAL')
            ) THEN trim_scale(x.value::numeric)::text
            ELSE x.value
          END
        ) AS key
      FROM jsonb_array_elements_text(p_filter -> 'values') AS x (value)
      UNION ALL
      SELECT v.key
      FROM search.facet_value v
      WHERE
        coalesce(p_filter ->> 'min', p_filter ->> 'max') IS NOT NULL
        AND v.merchant_id = p_merchant_id
        AND v.kind = 'ATTRIBUTE'
        AND v.name = concat(p_filter ->> 'namespace', '.', p_filter ->> 'key')
        -- Values of before may be no numbers.
        AND CASE
          WHEN v.value ~ '^-?\d+(\.\d+)?$' THEN v.value::numeric BETWEEN coalesce(
            (p_filter ->> 'min')::numeric,
            '-Infinity'
          ) AND coalesce((p_filter ->> 'max')::numeric, 'Infinity')
        END
    ) k;
$$;

CREATE FUNCTION search.has_attributes(p_merchant_id uuid, p_owner_type text)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT
    EXISTS (
      SELECT
      FROM metadata.definition d
      WHERE d.merchant_id = p_merchant_id AND d.owner_type = p_owner_type AND d.is_attribute
    );
$$;

CREATE FUNCTION search.facet_values_of(p_merchant_id uuid, p_product_id uuid, p_tags text[], p_metadata jsonb)
RETURNS TABLE (key bigint, kind text, name text, value text)
LANGUAGE sql
STABLE
ROWS 10
AS $$
  SELECT search.facet_key('TAG', '', t.tag), 'TAG', '', t.tag
  FROM unnest(p_tags) AS t (tag)
  UNION
  SELECT search.facet_key('CATEGORY', '', c.category_id::text), 'CATEGORY', '', c.category_id::text
  FROM catalog.category_product c
  WHERE c.merchant_id = p_merchant_id AND c.product_id = p_product_id
  UNION
  SELECT search.option_key(o.name, o.value), 'OPTION', o.name, o.value
  FROM
    catalog.product_variant v
    JOIN catalog.variant_option o ON o.merchant_id = v.merchant_id AND o.variant_id = v.id
  WHERE v.merchant_id = p_merchant_id AND v.product_id = p_product_id AND v.deleted_at IS NULL
  UNION
  SELECT search.attribute_key(d.namespace, d.key, a.value), 'ATTRIBUTE', d.namespace || '.' || d.key, a.value
  FROM
    metadata.definition d
    CROSS JOIN LATERAL (
      SELECT p_metadata -> d.namespace -> d.key AS value
      WHERE d.owner_type = 'PRODUCT'
      UNION ALL
      SELECT v.metadata -> d.namespace -> d.key
      FROM catalog.product_variant v
      WHERE
        d.owner_type = 'PRODUCT_VARIANT'
        AND v.merchant_id = d.merchant_id
        AND v.product_id = p_product_id
        AND v.deleted_at IS NULL
    ) m
    CROSS JOIN LATERAL search.attribute_values(d.type, m.value) AS a (value)
  WHERE d.merchant_id = p_merchant_id AND d.owner_type IN ('PRODUCT', 'PRODUCT_VARIANT') AND d.is_attribute;
$$;

CREATE FUNCTION search.facet_keys_of(p_merchant_id uuid, p_product_id uuid, p_tags text[], p_metadata jsonb)
RETURNS bigint[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(DISTINCT f.key ORDER BY f.key), '{}')
  FROM search.facet_values_of(p_merchant_id, p_product_id, p_tags, p_metadata) f;
$$;

CREATE FUNCTION search.is_stocked(p_merchant_id uuid, p_product_id uuid)
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT p.in_stock FROM catalog.product p WHERE p.merchant_id = p_merchant_id AND p.id = p_product_id;
$$;

-- Notes what the facet keys of products' documents stand for.
CREATE FUNCTION search.learn_facet_values(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
-- Planned anew, as search.learn_words is.
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_unknown bigint[] := ARRAY(
    SELECT k.key
    FROM
      (
        SELECT DISTINCT unnest(d.facet_keys) AS key
        FROM search.document d
        WHERE d.merchant_id = p_merchant_id AND d.product_id = ANY (p_product_ids)
      ) k
    WHERE NOT EXISTS (SELECT FROM search.facet_value v WHERE v.merchant_id = p_merchant_id AND v.key = k.key)
  );
BEGIN
  -- Most products have only values that others have. To look up what they stand for took a fifth of a batch's search.
  IF v_unknown = '{}' THEN
    RETURN;
  END IF;
  INSERT INTO search.facet_value (merchant_id, key, kind, name, value)
  SELECT DISTINCT ON (f.key) p_merchant_id, f.key, f.kind, f.name, f.value
  FROM
    catalog.product p
    CROSS JOIN LATERAL search.facet_values_of(p.merchant_id, p.id, p.tags, p.metadata) f
  WHERE p.merchant_id = p_merchant_id AND p.id = ANY (p_product_ids) AND f.key = ANY (v_unknown)
  ORDER BY f.key, f.name, f.value;
END;
$$;

CREATE FUNCTION search.write_facet_keys(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
BEGIN
  UPDATE search.document d
  SET facet_keys = k.keys
  FROM
    catalog.product p
    CROSS JOIN LATERAL (SELECT search.facet_keys_of(p.merchant_id, p.id, p.tags, p.metadata) AS keys) k
  WHERE
    p.merchant_id = p_merchant_id
    AND p.id = ANY (p_product_ids)
    AND d.merchant_id = p.merchant_id
    AND d.product_id = p.id
    AND d.facet_keys <> k.keys;
  PERFORM search.learn_facet_values(p_merchant_id, p_product_ids);
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
  INSERT INTO search.document
    (
      merchant_id,
      product_id,
      title,
      shown_title,
      title_words,
      public,
      created_at,
      status,
      lowest_price,
      highest_price,
      popularity,
      in_stock,
      facet_keys,
      stemmer,
      words
    )
  SELECT
    p.merchant_id,
    p.id,
    search.normalized(p.name),
    p.name,
    strip(n.words),
    p.status = 'ACTIVE',
    p.created_at,
    p.status,
    p.lowest_price,
    p.highest_price,
    p.popularity,
    p.in_stock,
    search.facet_keys_of(p.merchant_id, p.id, p.tags, p.metadata),
    m.stemmer,
    n.words || search.weighed(search.labels_of(p), m.stemmer, 'B') || search.weighed(p.description, m.stemmer, 'D')
  FROM
    unnest(p_products) p
    JOIN (
      SELECT o.merchant_id, search.stemmer_of(o.merchant_id) AS stemmer
      FROM (SELECT DISTINCT merchant_id FROM unnest(p_products)) o
    ) m
      ON m.merchant_id = p.merchant_id
    -- With OFFSET 0 the name is read once.
    CROSS JOIN LATERAL (SELECT search.weighed(p.name, m.stemmer, 'A') AS words OFFSET 0) n
  WHERE p.deleted_at IS NULL
  ORDER BY p.merchant_id, p.id
  ON CONFLICT (merchant_id, product_id) DO UPDATE
    SET
      title = excluded.title,
      shown_title = excluded.shown_title,
      title_words = excluded.title_words,
      public = excluded.public,
      created_at = excluded.created_at,
      status = excluded.status,
      lowest_price = excluded.lowest_price,
      highest_price = excluded.highest_price,
      facet_keys = excluded.facet_keys,
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
  PERFORM search.learn_facet_values(l.merchant_id, l.ids)
  FROM
    (
      SELECT p.merchant_id, array_agg(p.id) AS ids
      FROM unnest(p_products) p
      WHERE p.deleted_at IS NULL
      GROUP BY p.merchant_id
    ) l;
END;
$$;

-- Whether the transaction tells the search at its end what it has written, in place of each statement: a product of an
-- import is written by several.
CREATE FUNCTION search.follows_later()
RETURNS boolean
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(current_setting('search.follows_later', TRUE) = 'on', FALSE);
$$;

-- Has the search learn of the products that an import has written, with all that belongs to them, and of the categories
-- that it has made.
CREATE FUNCTION search.follow_import(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  -- Of those that it knows already, the stock is looked up later.
  INSERT INTO search.stale_product (merchant_id, product_id)
  SELECT d.merchant_id, d.product_id
  FROM search.document d
  WHERE d.merchant_id = p_merchant_id AND d.product_id = ANY (p_product_ids);
  PERFORM search.write_category(c.merchant_id, c.id)
  FROM catalog.category c
  WHERE
    c.merchant_id = p_merchant_id
    AND NOT EXISTS (
      SELECT
      FROM search.document d
      WHERE d.merchant_id = c.merchant_id AND d.category_id = c.id
    );
  PERFORM
    search.write_products(
      ARRAY(
        SELECT p
        FROM catalog.product p
        WHERE p.merchant_id = p_merchant_id AND p.id = ANY (p_product_ids)
      )
    );
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
  INSERT INTO search.document
    (merchant_id, category_id, title, shown_title, title_words, public, created_at, stemmer, words)
  VALUES
    (
      p_merchant_id,
      p_category_id,
      search.normalized(v_category.name),
      v_category.name,
      strip(search.weighed(v_category.name, v_stemmer, 'A')),
      TRUE,
      v_category.created_at,
      v_stemmer,
      search.weighed(v_category.name, v_stemmer, 'A') || search.weighed(v_category.description, v_stemmer, 'C')
    )
  ON CONFLICT (merchant_id, category_id) DO UPDATE
    SET
      title = excluded.title,
      shown_title = excluded.shown_title,
      title_words = excluded.title_words,
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
  INSERT INTO search.document
    (merchant_id, article_id, title, shown_title, title_words, public, created_at, stemmer, words)
  VALUES
    (
      p_merchant_id,
      p_article_id,
      search.normalized(v_article.name),
      v_article.name,
      strip(search.weighed(v_article.name, v_stemmer, 'A')),
      v_article.status = 'PUBLISHED',
      v_article.created_at,
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
      title_words = excluded.title_words,
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
  v_change search.changed_language;
  v_merchant_id uuid;
  v_document record;
  v_written integer := 0;
BEGIN
  SELECT *
  INTO v_change
  FROM search.changed_language c
  WHERE c.waits_for IS NULL OR c.waits_for <= pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY c.merchant_id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  v_merchant_id := v_change.merchant_id;
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
  IF v_written > 0 THEN
    RETURN v_written;
  END IF;
  -- Those that are locked are left for the next run.
  IF
    EXISTS (
      SELECT
      FROM search.document o
      WHERE o.merchant_id = v_merchant_id AND o.stemmer <> search.stemmer_of(v_merchant_id)
    )
  THEN
    RETURN 0;
  END IF;
  IF v_change.waits_for IS NULL THEN
    -- A transaction that runs now may have written a document in the language of before.
    UPDATE search.changed_language c
    SET waits_for = pg_snapshot_xmax(pg_current_snapshot())
    WHERE c.merchant_id = v_merchant_id;
  ELSE
    DELETE FROM search.changed_language c WHERE c.merchant_id = v_merchant_id;
  END IF;
  -- Another merchant may wait.
  RETURN search.rewrite_documents(p_limit);
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

CREATE FUNCTION search.stems_of(p_words text[], p_stemmer text)
RETURNS text[]
LANGUAGE sql
STABLE
AS $$
  SELECT
    coalesce(
      array_agg(coalesce((ts_lexize((p_stemmer || '_stem')::regdictionary, w.word))[1], w.word) ORDER BY w.place),
      '{}'
    )
  FROM unnest(p_words) WITH ORDINALITY AS w (word, place);
$$;

-- Writes what queries read of the synonyms and stop words in a merchant's settings.
CREATE FUNCTION search.write_synonyms(p_merchant_id uuid, p_synonyms text[], p_stop_words text[])
RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_stemmer text := search.stemmer_of(p_merchant_id);
BEGIN
  DELETE FROM search.synonym s WHERE s.merchant_id = p_merchant_id;
  DELETE FROM search.stop_word s WHERE s.merchant_id = p_merchant_id;
  INSERT INTO search.synonym (merchant_id, line, words, stems)
  SELECT p_merchant_id, x.line, x.words, search.stems_of(x.words, v_stemmer)
  FROM
    (
      SELECT l.line, search.words_in_order(t.text) AS words
      FROM
        unnest(p_synonyms) WITH ORDINALITY AS l (texts, line)
        CROSS JOIN LATERAL unnest(string_to_array(l.texts, ',')) AS t (text)
    ) x
  WHERE x.words <> '{}';
  INSERT INTO search.stop_word (merchant_id, word)
  SELECT DISTINCT p_merchant_id, w.word
  FROM
    unnest(p_stop_words) AS s (text)
    CROSS JOIN LATERAL unnest(search.words_in_order(s.text)) AS w (word);
END;
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

-- answers: integer
CREATE FUNCTION search.refresh_products(p_limit integer)
RETURNS integer
LANGUAGE plpgsql
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_taken integer;
BEGIN
  -- One statement, so one snapshot: a change that commits meanwhile leaves its own row to the next run.
  WITH
    waiting AS MATERIALIZED (
      SELECT DISTINCT s.merchant_id, s.product_id
      FROM (SELECT * FROM search.stale_product ORDER BY merchant_id, id LIMIT p_limit) s
    ),
    -- A document that another transaction writes is left to the next run as well.
    locked AS MATERIALIZED (
      SELECT d.merchant_id, d.id, d.product_id
      FROM
        search.document d
        JOIN waiting w ON w.merchant_id = d.merchant_id AND w.product_id = d.product_id
      ORDER BY d.merchant_id, d.product_id
      FOR NO KEY UPDATE OF d SKIP LOCKED
    ),
    written AS (
      UPDATE search.document d
      SET
        popularity = p.popularity,
        in_stock = p.in_stock
      FROM
        locked l
        JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
      WHERE d.merchant_id = l.merchant_id AND d.id = l.id
    ),
    taken AS (
      DELETE FROM search.stale_product s
      USING waiting w
      WHERE
        s.merchant_id = w.merchant_id
        AND s.product_id = w.product_id
        AND (
          EXISTS (SELECT FROM locked l WHERE l.merchant_id = w.merchant_id AND l.product_id = w.product_id)
          OR NOT EXISTS (
            SELECT
            FROM search.document d
            WHERE d.merchant_id = w.merchant_id AND d.product_id = w.product_id
          )
        )
      RETURNING s.id
    )
  SELECT count(*)
  INTO v_taken
  FROM taken;
  RETURN v_taken;
END;
$$;

-- Writes the keys of a merchant's documents anew whose attributes have changed.
--
-- answers: integer
CREATE FUNCTION search.rewrite_attributes(p_limit integer)
RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_change search.changed_attributes;
  v_ids uuid[];
BEGIN
  SELECT *
  INTO v_change
  FROM search.changed_attributes c
  WHERE c.waits_for IS NULL OR c.waits_for <= pg_snapshot_xmin(pg_current_snapshot())
  ORDER BY c.merchant_id, c.id
  LIMIT 1
  FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  IF v_change.waits_for IS NULL THEN
    -- A transaction that runs now may have written a product by the definitions of before.
    UPDATE search.changed_attributes c
    SET waits_for = pg_snapshot_xmax(pg_current_snapshot())
    WHERE c.merchant_id = v_change.merchant_id AND c.id = v_change.id;
    RETURN 1;
  END IF;
  IF v_change.last_product_id IS NULL THEN
    v_change.last_product_id := (
      SELECT p.id FROM catalog.product p WHERE p.merchant_id = v_change.merchant_id ORDER BY p.id DESC LIMIT 1
    );
  END IF;
  v_ids := ARRAY(
    SELECT p.id
    FROM catalog.product p
    WHERE
      p.merchant_id = v_change.merchant_id
      AND (v_change.after_product_id IS NULL OR p.id > v_change.after_product_id)
      AND p.id <= v_change.last_product_id
    ORDER BY p.id
    LIMIT p_limit
  );
  IF cardinality(v_ids) = 0 THEN
    DELETE FROM search.changed_attributes c WHERE c.merchant_id = v_change.merchant_id AND c.id = v_change.id;
    RETURN 1;
  END IF;
  -- Held before they are read, so that no change of them is lost.
  PERFORM
  FROM catalog.product p
  WHERE p.merchant_id = v_change.merchant_id AND p.id = ANY (v_ids)
  ORDER BY p.id
  FOR NO KEY UPDATE;
  PERFORM search.write_facet_keys(v_change.merchant_id, v_ids);
  UPDATE search.changed_attributes c
  SET
    after_product_id = v_ids[cardinality(v_ids)],
    last_product_id = v_change.last_product_id
  WHERE c.merchant_id = v_change.merchant_id AND c.id = v_change.id;
  RETURN cardinality(v_ids);
END;
$$;

CREATE FUNCTION search.in_stock_of(p_merchant_id uuid)
RETURNS text
LANGUAGE sql
STABLE
AS $$
  -- What the document says; of a product that waits for the job, what is so now.
  SELECT
    CASE
      WHEN EXISTS (SELECT FROM search.stale_product s WHERE s.merchant_id = p_merchant_id) THEN concat(
        'CASE WHEN d.product_id IN (',
        'SELECT s.product_id FROM search.stale_product s WHERE s.merchant_id = (($1).scope).merchant_id',
        ') THEN search.is_stocked(d.merchant_id, d.product_id) ELSE d.in_stock END'
      )
      ELSE 'd.in_stock'
    END;
$$;

CREATE FUNCTION search.type_of(p_document search.document)
RETURNS text
LANGUAGE sql
IMMUTABLE
AS $$
  SELECT
    CASE
      WHEN p_document.product_id IS NOT NULL THEN 'PRODUCT'
      WHEN p_document.category_id IS NOT NULL THEN 'CATEGORY'
      ELSE 'ARTICLE'
    END;
$$;

-- A price rounded down to its first two digits. Ranges of prices begin at such prices, so they can be counted by them.
CREATE FUNCTION search.rounded_price(p_price bigint)
RETURNS bigint
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  -- Each step by itself, because this is computed for every result.
  SELECT
    CASE
      WHEN p_price < 100 THEN p_price
      WHEN p_price < 1000 THEN p_price - p_price % 10
      WHEN p_price < 10000 THEN p_price - p_price % 100
      WHEN p_price < 100000 THEN p_price - p_price % 1000
      WHEN p_price < 1000000 THEN p_price - p_price % 10000
      WHEN p_price < 10000000 THEN p_price - p_price % 100000
      WHEN p_price < 100000000 THEN p_price - p_price % 1000000
      WHEN p_price < 1000000000 THEN p_price - p_price % 10000000
      WHEN p_price < 10000000000 THEN p_price - p_price % 100000000
      WHEN p_price < 100000000000 THEN p_price - p_price % 1000000000
      WHEN p_price < 1000000000000 THEN p_price - p_price % 10000000000
      WHEN p_price < 10000000000000 THEN p_price - p_price % 100000000000
      WHEN p_price < 100000000000000 THEN p_price - p_price % 1000000000000
      WHEN p_price < 1000000000000000 THEN p_price - p_price % 10000000000000
      ELSE p_price - p_price % 100000000000000
    END;
$$;

-- What facets count of a document, each value as a number: the place of its type and status in the lists that
-- search.facets has, whether it is in stock, its rounded prices, and its keys.
CREATE FUNCTION search.tallied_values(
  p_type text,
  p_status text,
  p_lowest_price bigint,
  p_highest_price bigint,
  p_in_stock boolean,
  p_facet_keys bigint[]
)
RETURNS TABLE (kind text, value bigint)
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
ROWS 20
AS $$
  SELECT v.kind, v.value
  FROM
    (
      VALUES
        ('TYPE', search.number_of_type(p_type)::bigint),
        ('STATUS', search.number_of_status(p_status)),
        ('IN_STOCK', p_in_stock::integer),
        ('LOWEST_PRICE', search.rounded_price(p_lowest_price)),
        ('HIGHEST_PRICE', search.rounded_price(p_highest_price))
    ) AS v (kind, value)
  WHERE v.value IS NOT NULL
  UNION ALL
  SELECT 'KEY', k.key
  FROM unnest(p_facet_keys) AS k (key);
$$;

CREATE FUNCTION search.number_of_type(p_type text)
RETURNS integer
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT array_position(ARRAY['PRODUCT', 'CATEGORY', 'ARTICLE'], p_type);
$$;

CREATE FUNCTION search.number_of_status(p_status text)
RETURNS integer
LANGUAGE sql
IMMUTABLE
PARALLEL SAFE
AS $$
  SELECT array_position(ARRAY['DRAFT', 'ACTIVE', 'ARCHIVED'], p_status);
$$;

-- Of which parts of a merchant's documents a document is one: of all, and of its categories.
CREATE FUNCTION search.scopes_of(p_merchant_id uuid, p_facet_keys bigint[])
RETURNS TABLE (scope bigint)
LANGUAGE sql
STABLE
ROWS 4
AS $$
  SELECT 0::bigint
  UNION ALL
  SELECT k.key
  FROM unnest(p_facet_keys) AS k (key)
  WHERE
    EXISTS (
      SELECT
      FROM search.facet_value f
      WHERE f.merchant_id = p_merchant_id AND f.key = k.key AND f.kind = 'CATEGORY'
    );
$$;

-- The scopes of the common words that find a document.
CREATE FUNCTION search.word_scopes_of(p_merchant_id uuid, p_words tsvector)
RETURNS bigint[]
LANGUAGE sql
STABLE
AS $$
  SELECT coalesce(array_agg(t.scope ORDER BY t.scope), '{}')
  FROM search.tallied_scope t
  WHERE t.merchant_id = p_merchant_id AND p_words @@ t.words;
$$;

-- The scopes whose counts a change belongs to. Of a word that is still being counted, a document that comes later is
-- counted as it is then.
CREATE FUNCTION search.scopes_of_change(p_change search.tally_change)
RETURNS TABLE (scope bigint)
LANGUAGE sql
STABLE
ROWS 8
AS $$
  SELECT s.scope
  FROM search.scopes_of(p_change.merchant_id, p_change.facet_keys) s
  UNION ALL
  SELECT t.scope
  FROM search.tallied_scope t
  WHERE
    t.merchant_id = p_change.merchant_id
    AND t.scope = ANY (p_change.word_scopes)
    AND (t.counted OR p_change.document_id <= t.after_document_id);
$$;

-- Marks merchants of more documents than this, whose documents a job will count (search.tallied_scope). Returns how
-- many.
--
-- answers: integer
CREATE FUNCTION search.tally_large_merchants(p_documents integer)
RETURNS integer
LANGUAGE sql
VOLATILE
AS $$
  WITH
    noted AS (
      INSERT INTO search.tallied_scope (merchant_id)
      SELECT m.id
      FROM merchant.merchant m
      WHERE
        EXISTS (SELECT FROM search.document d WHERE d.merchant_id = m.id OFFSET p_documents)
        AND NOT EXISTS (SELECT FROM search.tallied_scope t WHERE t.merchant_id = m.id AND t.scope = 0)
      ON CONFLICT DO NOTHING
      RETURNING merchant_id
    )
  SELECT count(*)::integer
  FROM noted;
$$;
