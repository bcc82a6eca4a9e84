-- Search over products, categories and articles: what is found by which words, in which order, and by whom.

CREATE EXTENSION IF NOT EXISTS fuzzystrmatch;

CREATE SCHEMA search;

INSERT INTO merchant.permission (name, description) VALUES
  ('articles:read', 'See articles, those that are not published as well'),
  ('articles:write', 'Create, change and delete articles');

-- Content pages of a shop. The title is called name because that is what platform.fill_slug makes slugs of.
CREATE TABLE search.article (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  slug text NOT NULL,
  excerpt text,
  body text NOT NULL DEFAULT '',
  status text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'PUBLISHED')),
  tags text[] NOT NULL DEFAULT '{}',
  seo_title text,
  seo_description text,
  -- When it was first published; kept by trigger.
  published_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT article_slug_key UNIQUE (merchant_id, slug)
);
CREATE INDEX article_created_at ON search.article (merchant_id, created_at, id);
CREATE INDEX article_updated_at ON search.article (merchant_id, updated_at, id);
CREATE INDEX article_name ON search.article (merchant_id, name, id);
CREATE TRIGGER fill_slug BEFORE INSERT OR UPDATE OF slug ON search.article
  FOR EACH ROW EXECUTE FUNCTION platform.fill_slug();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON search.article
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION search.note_publication() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.published_at := now();
  RETURN NEW;
END
$$;
CREATE TRIGGER note_publication BEFORE INSERT OR UPDATE OF status ON search.article
  FOR EACH ROW WHEN (NEW.status = 'PUBLISHED' AND NEW.published_at IS NULL) EXECUTE FUNCTION search.note_publication();

-- What can be found, a row for each product, category and article, written by triggers in the transaction that changes them.
CREATE TABLE search.document (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid,
  category_id uuid,
  article_id uuid,
  -- The title as it is compared (search.normalized), and as it is shown.
  title text NOT NULL,
  shown_title text NOT NULL,
  -- Whether a shopper may find it.
  public boolean NOT NULL,
  -- The words and their stems, with the weight of where they stand: A the title, B SKUs and tags, C excerpts and categories'
  -- descriptions, D the rest.
  words tsvector NOT NULL,
  -- What the stems are of (platform.language).
  stemmer text NOT NULL,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT document_of_one_record CHECK (num_nonnulls(product_id, category_id, article_id) = 1),
  CONSTRAINT document_product_key UNIQUE (merchant_id, product_id),
  CONSTRAINT document_category_key UNIQUE (merchant_id, category_id),
  CONSTRAINT document_article_key UNIQUE (merchant_id, article_id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, category_id) REFERENCES catalog.category ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, article_id) REFERENCES search.article ON DELETE CASCADE
);
CREATE INDEX document_words ON search.document USING gin (merchant_id, words);
CREATE INDEX document_stemmer ON search.document (merchant_id, stemmer);
CREATE INDEX document_title ON search.document (merchant_id, title text_pattern_ops);

-- The words that a merchant's documents have, to complete and correct what is typed. A word stays when the last document with it
-- goes: then it finds nothing. It may stand here twice, when two transactions met it at once: a unique index would make them wait
-- for one another, and two that write the same new words in another order would never end.
CREATE TABLE search.word (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  word text NOT NULL,
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX word_prefix ON search.word (merchant_id, word text_pattern_ops);
CREATE INDEX word_similarity ON search.word USING gin (merchant_id, word gin_trgm_ops);

-- A text as search compares it: without accents, in lower case, with a space for everything that is no letter or digit. So it has
-- nothing that means something to LIKE or to a query of words.
CREATE FUNCTION search.normalized(p_text text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT trim(regexp_replace(lower(public.unaccent(coalesce(p_text, ''))), '[\s!-/:-@\[-`{-~]+', ' ', 'g'))
$$;

-- What takes inflections off in a merchant's language.
CREATE FUNCTION search.stemmer_of(p_merchant_id uuid) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(
    (
      SELECT l.stemmer FROM merchant.settings s JOIN platform.language l ON l.code = s.language WHERE s.merchant_id = p_merchant_id
    ),
    'english'
  )
$$;

-- A text's words, and beside them their stems. Both stand for the text: a word is found as it is typed, and in another number or case.
CREATE FUNCTION search.weighed(p_text text, p_stemmer text, p_weight "char") RETURNS tsvector
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT setweight(to_tsvector('simple', n.text) || to_tsvector(p_stemmer::regconfig, n.text), p_weight)
  FROM (SELECT search.normalized(p_text) AS text) n
$$;

-- Writes down the words that are new; stems are no words.
CREATE FUNCTION search.learn_words(p_merchant_id uuid, p_text text) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  INSERT INTO search.word (merchant_id, word)
  SELECT p_merchant_id, lexeme
  FROM unnest(tsvector_to_array(to_tsvector('simple', search.normalized(p_text)))) AS lexeme
  WHERE char_length(lexeme) <= 60
    AND NOT EXISTS (SELECT FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word = lexeme)
$$;

-- Writes a product's document anew, from the product as it is.
CREATE FUNCTION search.write_product(p_merchant_id uuid, p_product_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_product catalog.product;
  v_stemmer text := search.stemmer_of(p_merchant_id);
  v_labels text;
BEGIN
  SELECT * INTO v_product FROM catalog.product p WHERE p.merchant_id = p_merchant_id AND p.id = p_product_id AND p.deleted_at IS NULL;
  IF NOT FOUND THEN
    DELETE FROM search.document d WHERE d.merchant_id = p_merchant_id AND d.product_id = p_product_id;
    RETURN;
  END IF;
  v_labels := concat_ws(' ', v_product.sku, array_to_string(v_product.tags, ' '), v_product.variant_skus);
  INSERT INTO search.document (merchant_id, product_id, title, shown_title, public, stemmer, words)
  VALUES (
    p_merchant_id, p_product_id, search.normalized(v_product.name), v_product.name, v_product.status = 'ACTIVE', v_stemmer,
    search.weighed(v_product.name, v_stemmer, 'A') || search.weighed(v_labels, v_stemmer, 'B')
      || search.weighed(v_product.description, v_stemmer, 'D')
  )
  ON CONFLICT (merchant_id, product_id) DO UPDATE
  SET title = excluded.title, shown_title = excluded.shown_title, public = excluded.public,
    stemmer = excluded.stemmer, words = excluded.words;
  PERFORM search.learn_words(p_merchant_id, concat_ws(' ', v_product.name, v_labels, v_product.description));
END
$$;

CREATE FUNCTION search.follow_product() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_product(NEW.merchant_id, NEW.id);
  RETURN NULL;
END
$$;
-- Popularity moves with every order and changes nothing here. A product's variants are found by variant_skus.
CREATE TRIGGER follow_search AFTER INSERT OR UPDATE OF name, description, sku, variant_skus, tags, status, deleted_at ON catalog.product
  FOR EACH ROW EXECUTE FUNCTION search.follow_product();

-- Writes a category's document anew.
CREATE FUNCTION search.write_category(p_merchant_id uuid, p_category_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_category catalog.category;
  v_stemmer text := search.stemmer_of(p_merchant_id);
BEGIN
  SELECT * INTO STRICT v_category FROM catalog.category c WHERE c.merchant_id = p_merchant_id AND c.id = p_category_id;
  INSERT INTO search.document (merchant_id, category_id, title, shown_title, public, stemmer, words)
  VALUES (
    p_merchant_id, p_category_id, search.normalized(v_category.name), v_category.name, true, v_stemmer,
    search.weighed(v_category.name, v_stemmer, 'A') || search.weighed(v_category.description, v_stemmer, 'C')
  )
  ON CONFLICT (merchant_id, category_id) DO UPDATE
  SET title = excluded.title, shown_title = excluded.shown_title, stemmer = excluded.stemmer, words = excluded.words;
  PERFORM search.learn_words(p_merchant_id, concat_ws(' ', v_category.name, v_category.description));
END
$$;

CREATE FUNCTION search.follow_category() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_category(NEW.merchant_id, NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER follow_search AFTER INSERT OR UPDATE OF name, description ON catalog.category
  FOR EACH ROW EXECUTE FUNCTION search.follow_category();

-- Writes an article's document anew.
CREATE FUNCTION search.write_article(p_merchant_id uuid, p_article_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_article search.article;
  v_stemmer text := search.stemmer_of(p_merchant_id);
BEGIN
  SELECT * INTO STRICT v_article FROM search.article a WHERE a.merchant_id = p_merchant_id AND a.id = p_article_id;
  INSERT INTO search.document (merchant_id, article_id, title, shown_title, public, stemmer, words)
  VALUES (
    p_merchant_id, p_article_id, search.normalized(v_article.name), v_article.name, v_article.status = 'PUBLISHED', v_stemmer,
    search.weighed(v_article.name, v_stemmer, 'A') || search.weighed(array_to_string(v_article.tags, ' '), v_stemmer, 'B')
      || search.weighed(v_article.excerpt, v_stemmer, 'C') || search.weighed(v_article.body, v_stemmer, 'D')
  )
  ON CONFLICT (merchant_id, article_id) DO UPDATE
  SET title = excluded.title, shown_title = excluded.shown_title, public = excluded.public,
    stemmer = excluded.stemmer, words = excluded.words;
  PERFORM search.learn_words(
    p_merchant_id, concat_ws(' ', v_article.name, array_to_string(v_article.tags, ' '), v_article.excerpt, v_article.body)
  );
END
$$;

CREATE FUNCTION search.follow_article() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_article(NEW.merchant_id, NEW.id);
  RETURN NULL;
END
$$;
CREATE TRIGGER follow_search AFTER INSERT OR UPDATE OF name, excerpt, body, tags, status ON search.article
  FOR EACH ROW EXECUTE FUNCTION search.follow_article();

-- Merchants whose language has changed, and some of whose documents still have the stems of the old one. A job writes them anew.
CREATE TABLE search.changed_language (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant ON DELETE CASCADE
);

CREATE FUNCTION search.note_language() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO search.changed_language (merchant_id) VALUES (NEW.merchant_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER note_language AFTER UPDATE OF language ON merchant.settings
  FOR EACH ROW WHEN (NEW.language <> OLD.language) EXECUTE FUNCTION search.note_language();

-- Writes up to p_limit documents anew whose stems are of another language than their merchant's. The answer: how many; 0 says that none is
-- left. Processes that run it at once take different merchants.
CREATE FUNCTION search.rewrite_documents(p_limit integer) RETURNS integer
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant_id uuid;
  v_written integer;
BEGIN
  SELECT c.merchant_id INTO v_merchant_id FROM search.changed_language c ORDER BY c.merchant_id LIMIT 1 FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN 0;
  END IF;
  PERFORM CASE
    WHEN d.product_id IS NOT NULL THEN search.write_product(d.merchant_id, d.product_id)
    WHEN d.category_id IS NOT NULL THEN search.write_category(d.merchant_id, d.category_id)
    ELSE search.write_article(d.merchant_id, d.article_id)
  END
  FROM (
    SELECT o.* FROM search.document o
    WHERE o.merchant_id = v_merchant_id AND o.stemmer <> search.stemmer_of(v_merchant_id)
    ORDER BY o.id LIMIT p_limit FOR NO KEY UPDATE SKIP LOCKED
  ) d;
  GET DIAGNOSTICS v_written = ROW_COUNT;
  IF v_written = 0 THEN
    DELETE FROM search.changed_language c WHERE c.merchant_id = v_merchant_id;
    -- Another merchant may wait.
    RETURN search.rewrite_documents(p_limit);
  END IF;
  RETURN v_written;
END
$$;

-- What was there before is found as well.
SELECT search.write_product(p.merchant_id, p.id) FROM catalog.product p WHERE p.deleted_at IS NULL;
UPDATE catalog.category SET name = name;

-- The letters of a word, in alphabetical order: words with the same ones differ by their order only.
CREATE FUNCTION search.letters(p_word text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT string_agg(letter, '' ORDER BY letter) FROM regexp_split_to_table(p_word, '') AS letter
$$;

-- What is asked for a word: words that begin with it, and those of the same stem. An ending of up to two letters (boots, Zelte, mugs) is
-- left away instead, so that a plural finds what its singular finds.
CREATE FUNCTION search.term(p_word text, p_stemmer text) RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT CASE
    WHEN s.stem IS NULL OR s.stem = p_word THEN quote_literal(p_word) || ':*'
    WHEN starts_with(p_word, s.stem) AND char_length(s.stem) >= greatest(3, char_length(p_word) - 2) THEN quote_literal(s.stem) || ':*'
    ELSE '(' || quote_literal(p_word) || ':* | ' || quote_literal(s.stem) || ')'
  END
  FROM (SELECT (ts_lexize((p_stemmer || '_stem')::regdictionary, p_word))[1] AS stem) s
$$;

-- What is asked for a word that was typed: itself where the merchant's documents have a word that begins with it or has its stem; else the
-- three that were most likely meant: the same letters in another order, or a few too many, too few or wrong ones. NULL: there is
-- nothing like it.
CREATE FUNCTION search.meant(p_merchant_id uuid, p_word text, p_stemmer text) RETURNS text
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  -- Of few letters, everything is a likely mistake for everything: of three, only their order may be another.
  v_max_distance integer := CASE WHEN char_length(p_word) < 6 THEN 1 WHEN char_length(p_word) < 9 THEN 2 ELSE 3 END;
  v_term text;
  v_words text;
BEGIN
  -- Longer ones are not learned as words.
  IF char_length(p_word) > 60 THEN
    RETURN quote_literal(p_word) || ':*';
  END IF;
  v_term := search.term(p_word, p_stemmer);
  IF EXISTS (SELECT FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word LIKE p_word || '%')
    OR EXISTS (SELECT FROM search.document d WHERE d.merchant_id = p_merchant_id AND d.words @@ v_term::tsquery)
  THEN
    RETURN v_term;
  END IF;
  IF char_length(p_word) < 3 THEN
    RETURN NULL;
  END IF;
  SELECT string_agg(CASE WHEN m.distance <= 2 THEN search.term(m.word, p_stemmer) ELSE quote_literal(m.word) END, ' | ') INTO v_words
  FROM (
    SELECT c.word, CASE WHEN search.letters(c.word) = search.letters(p_word) THEN 0 ELSE levenshtein(c.word, p_word) END AS distance
    FROM (
      SELECT w.word FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word % p_word
      UNION
      SELECT w.word FROM search.word w
      WHERE w.merchant_id = p_merchant_id AND w.word LIKE left(p_word, 1) || '%'
        AND char_length(w.word) BETWEEN char_length(p_word) - v_max_distance AND char_length(p_word) + v_max_distance
        AND levenshtein_less_equal(w.word, p_word, v_max_distance) <= v_max_distance
    ) c
    WHERE search.letters(c.word) = search.letters(p_word)
      OR (char_length(p_word) > 3 AND levenshtein_less_equal(c.word, p_word, v_max_distance) <= v_max_distance)
    ORDER BY distance, similarity(c.word, p_word) DESC, c.word
    LIMIT 3
  ) m;
  RETURN '(' || v_words || ')';
END
$$;

-- What is typed, as a query of words: all of them, in any order. NULL: one of them is like nothing that there is. Of a long text the
-- first ten count.
CREATE FUNCTION search.words_query(p_merchant_id uuid, p_query text) RETURNS tsquery
LANGUAGE sql STABLE
AS $$
  SELECT CASE WHEN count(*) > 0 AND bool_and(t.term IS NOT NULL) THEN to_tsquery('simple', string_agg(t.term, ' & ')) END
  FROM (
    SELECT search.meant(p_merchant_id, x.word, search.stemmer_of(p_merchant_id)) AS term
    FROM (SELECT DISTINCT word FROM regexp_split_to_table(search.normalized(p_query), ' ') AS word WHERE word <> '' LIMIT 10) x
  ) t
$$;

-- The same words, but in titles.
CREATE FUNCTION search.in_title(p_words tsquery) RETURNS tsquery
LANGUAGE sql STABLE
AS $$
  -- Every word ends with its quote, and perhaps the mark of a prefix.
  SELECT regexp_replace(p_words::text, '''(:\*)?(?=\s|\)|$)', ''':*A', 'g')::tsquery
$$;

-- Something that was found. No row is ever stored here: the table is what the functions below answer with.
CREATE TABLE search.hit (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL,
  product_id uuid,
  category_id uuid,
  article_id uuid,
  -- The higher the better: a title that is what was typed, one that begins with it, and then by how much and where the words stand.
  rank real NOT NULL,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT hit_is_never_stored CHECK (false)
);

-- A value by which what was found can be narrowed down, and how much would be left. Never stored, either.
CREATE TABLE search.facet (
  merchant_id uuid NOT NULL,
  name text NOT NULL,
  value text NOT NULL,
  label text NOT NULL,
  count integer NOT NULL,
  -- Of a range of prices.
  min bigint,
  max bigint,
  PRIMARY KEY (merchant_id, name, value),
  CONSTRAINT facet_is_never_stored CHECK (false)
);

-- How what is typed could go on. Never stored, either.
CREATE TABLE search.suggestion (
  merchant_id uuid NOT NULL,
  text text NOT NULL,
  type text NOT NULL,
  rank real NOT NULL,
  PRIMARY KEY (merchant_id, text),
  CONSTRAINT suggestion_is_never_stored CHECK (false)
);

-- Products of which something is available, as inventory.product_inventory counts it, without adding it up.
CREATE VIEW search.stocked_product AS
SELECT i.merchant_id, i.product_id
FROM inventory.stock_item i
JOIN inventory.stock_level l ON l.merchant_id = i.merchant_id AND l.stock_item_id = i.id AND l.available > 0
JOIN inventory.warehouse w ON w.merchant_id = l.merchant_id AND w.id = l.warehouse_id AND w.active
WHERE i.sku IS NOT NULL AND (
  i.variant_id IS NOT NULL
  OR NOT EXISTS (
    SELECT FROM catalog.product_variant v WHERE v.merchant_id = i.merchant_id AND v.product_id = i.product_id AND v.deleted_at IS NULL
  )
);

-- Whose documents somebody may find: a shopper those that are public, a key those that its permissions cover.
CREATE TYPE search.scope AS (merchant_id uuid, public_only boolean, products boolean, articles boolean);

CREATE FUNCTION search.scope_of(hasura_session json) RETURNS search.scope
LANGUAGE sql STABLE
AS $$
  SELECT ROW(
    (hasura_session ->> 'x-hasura-merchant-id')::uuid,
    hasura_session ->> 'x-hasura-role' = 'customer',
    hasura_session ->> 'x-hasura-role' = 'customer' OR 'products:read' = ANY (p.permissions),
    hasura_session ->> 'x-hasura-role' = 'customer' OR 'articles:read' = ANY (p.permissions)
  )::search.scope
  FROM (SELECT coalesce(hasura_session ->> 'x-hasura-permissions', '{}')::text[] AS permissions) p
$$;

-- The documents that a query finds, 5,000 at most, those first whose titles have the words: nobody reads more, and ranking and counting
-- stay bounded whatever somebody types. What only products have (category, tags, price, stock, status) finds nothing else.
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
) RETURNS SETOF search.hit
LANGUAGE plpgsql STABLE ROWS 200
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
  RETURN QUERY
  SELECT
    f.merchant_id, f.id, f.product_id, f.category_id, f.article_id,
    (
      ts_rank('{0.05, 0.2, 0.4, 1}', f.words, v_words)
      + CASE WHEN f.title = v_title THEN 2 WHEN starts_with(f.title, v_title) THEN 1 ELSE 0 END
      -- Of equal ones, the one that says least else.
      + 0.01 / (1 + char_length(f.title))
    )::real
  FROM (
    SELECT d.*
    FROM search.document d
    WHERE d.merchant_id = p_scope.merchant_id AND d.words @@ v_words
      AND (d.public OR NOT p_scope.public_only)
      AND CASE WHEN d.article_id IS NULL THEN p_scope.products ELSE p_scope.articles END
      AND (
        p_types IS NULL
        OR CASE WHEN d.product_id IS NOT NULL THEN 'PRODUCT' WHEN d.category_id IS NOT NULL THEN 'CATEGORY' ELSE 'ARTICLE' END
          = ANY (p_types)
      )
      AND (
        NOT v_products_only
        OR EXISTS (
          SELECT FROM catalog.product p
          WHERE p.merchant_id = d.merchant_id AND p.id = d.product_id
            AND (p_tags IS NULL OR p.tags @> p_tags)
            AND (p_price_min IS NULL OR p.highest_price >= p_price_min)
            AND (p_price_max IS NULL OR p.lowest_price <= p_price_max)
            AND (p_status IS NULL OR p.status = p_status)
            AND (
              p_category_id IS NULL
              OR EXISTS (
                SELECT FROM catalog.category_product c
                WHERE c.merchant_id = p.merchant_id AND c.product_id = p.id AND c.category_id = p_category_id
              )
            )
            AND (
              p_in_stock IS NULL
              OR p_in_stock = coalesce((
                SELECT true FROM search.stocked_product s WHERE s.merchant_id = p.merchant_id AND s.product_id = p.id LIMIT 1
              ), false)
            )
        )
      )
    ORDER BY d.words @@ v_words_in_title DESC, d.id
    LIMIT 5000
  ) f;
END
$$;

-- What Hasura shows.
CREATE FUNCTION search.search(
  hasura_session json,
  query text,
  types text[] DEFAULT NULL,
  "categoryId" uuid DEFAULT NULL,
  tags text[] DEFAULT NULL,
  "priceMin" bigint DEFAULT NULL,
  "priceMax" bigint DEFAULT NULL,
  "inStock" boolean DEFAULT NULL,
  status text DEFAULT NULL
) RETURNS SETOF search.hit
LANGUAGE sql STABLE ROWS 200
AS $$
  SELECT * FROM search.found(
    search.scope_of(hasura_session), query, types, "categoryId", tags, "priceMin", "priceMax", "inStock", status
  )
$$;

-- The facets of what the same arguments find. A value's count is what is left when it is asked for as well; of categories and tags, the
-- 50 that leave most; a category's products are those below it as well. Prices are in up to five ranges of about as many products, from one
-- round price to the next.
CREATE FUNCTION search.facets(
  hasura_session json,
  query text,
  types text[] DEFAULT NULL,
  "categoryId" uuid DEFAULT NULL,
  tags text[] DEFAULT NULL,
  "priceMin" bigint DEFAULT NULL,
  "priceMax" bigint DEFAULT NULL,
  "inStock" boolean DEFAULT NULL,
  status text DEFAULT NULL
) RETURNS SETOF search.facet
LANGUAGE plpgsql STABLE ROWS 50
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  v_scope search.scope := search.scope_of(hasura_session);
BEGIN
  RETURN QUERY
  WITH hit AS MATERIALIZED (
    SELECT h.* FROM search.found(v_scope, query, types, "categoryId", tags, "priceMin", "priceMax", "inStock", status) h
  ),
  product AS MATERIALIZED (
    SELECT p.id, p.lowest_price, p.highest_price, p.status, p.tags FROM hit h
    JOIN catalog.product p ON p.merchant_id = h.merchant_id AND p.id = h.product_id
  ),
  -- A step to round by: a power of ten, of which at least five lie between the prices.
  step AS (
    SELECT power(10, floor(log(greatest((max(p.highest_price) - min(p.lowest_price)) / 5, 1))))::bigint AS size FROM product p
  ),
  bound AS (
    SELECT DISTINCT p.lowest_price / s.size * s.size AS min
    FROM (
      SELECT x.lowest_price, row_number() OVER (ORDER BY x.lowest_price) - 1 AS number, count(*) OVER () AS total FROM product x
    ) p, step s
    -- The lowest price, and where the second to the fifth part begins.
    WHERE p.number IN (0, p.total / 5, p.total * 2 / 5, p.total * 3 / 5, p.total * 4 / 5)
  ),
  price_range AS (
    SELECT
      b.min,
      coalesce(lead(b.min) OVER (ORDER BY b.min) - 1, (SELECT (max(p.highest_price) / s.size + 1) * s.size - 1 FROM product p, step s GROUP BY s.size)) AS max
    FROM bound b
  ),
  counted (name, value, label, count, min, max) AS (
    SELECT
      'TYPE', t.type, initcap(t.type), count(*), NULL::bigint, NULL::bigint
    FROM hit h
    CROSS JOIN LATERAL (
      SELECT CASE WHEN h.product_id IS NOT NULL THEN 'PRODUCT' WHEN h.category_id IS NOT NULL THEN 'CATEGORY' ELSE 'ARTICLE' END AS type
    ) t
    GROUP BY t.type
    UNION ALL
    (
      SELECT 'CATEGORY', c.id::text, c.name, count(*), NULL, NULL
      FROM product p
      JOIN catalog.category_product x ON x.merchant_id = v_scope.merchant_id AND x.product_id = p.id
      JOIN catalog.category c ON c.merchant_id = x.merchant_id AND c.id = x.category_id
      GROUP BY c.id, c.name ORDER BY count(*) DESC, c.id LIMIT 50
    )
    UNION ALL
    (
      SELECT 'TAG', t.tag, t.tag, count(*), NULL, NULL
      FROM product p CROSS JOIN LATERAL (SELECT DISTINCT tag FROM unnest(p.tags) AS tag) t
      GROUP BY t.tag ORDER BY count(*) DESC, t.tag LIMIT 50
    )
    UNION ALL
    SELECT 'PRICE', r.min || '-' || r.max, r.min || '-' || r.max, count(*), r.min, r.max
    FROM price_range r JOIN product p ON p.highest_price >= r.min AND p.lowest_price <= r.max
    GROUP BY r.min, r.max
    UNION ALL
    SELECT 'IN_STOCK', s.available::text, CASE WHEN s.available THEN 'In stock' ELSE 'Out of stock' END, count(*), NULL, NULL
    FROM product p
    CROSS JOIN LATERAL (
      -- With a limit, because Postgres would look through the whole stock for a few products otherwise.
      SELECT coalesce((
        SELECT true FROM search.stocked_product x WHERE x.merchant_id = v_scope.merchant_id AND x.product_id = p.id LIMIT 1
      ), false) AS available
    ) s
    GROUP BY s.available
    UNION ALL
    SELECT 'STATUS', p.status, initcap(p.status), count(*), NULL, NULL
    FROM product p WHERE NOT v_scope.public_only GROUP BY p.status
  )
  SELECT v_scope.merchant_id, c.name, c.value, c.label, c.count::integer, c.min, c.max FROM counted c;
END
$$;

-- Titles that what is typed leads to, each once: first those that begin with it, then those that have its words. However many there are,
-- no more than some hundred are looked at.
CREATE FUNCTION search.suggestions(hasura_session json, query text) RETURNS SETOF search.suggestion
LANGUAGE plpgsql STABLE ROWS 20
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
  RETURN QUERY
  WITH candidate AS (
    (
      SELECT d.*, 1 AS bonus FROM search.document d
      WHERE d.merchant_id = v_scope.merchant_id AND d.title LIKE v_title || '%'
        AND (d.public OR NOT v_scope.public_only)
        AND CASE WHEN d.article_id IS NULL THEN v_scope.products ELSE v_scope.articles END
      ORDER BY d.title LIMIT 200
    )
    UNION ALL
    (
      SELECT d.*, 0 FROM search.document d
      -- In the title only: that is what is suggested.
      WHERE d.merchant_id = v_scope.merchant_id AND d.words @@ search.in_title(v_words)
        AND (d.public OR NOT v_scope.public_only)
        AND CASE WHEN d.article_id IS NULL THEN v_scope.products ELSE v_scope.articles END
      LIMIT 500
    )
  )
  SELECT DISTINCT ON (c.shown_title)
    c.merchant_id, c.shown_title,
    CASE WHEN c.product_id IS NOT NULL THEN 'PRODUCT' WHEN c.category_id IS NOT NULL THEN 'CATEGORY' ELSE 'ARTICLE' END,
    (c.bonus + 1.0 / (1 + char_length(c.title)))::real
  FROM candidate c
  ORDER BY c.shown_title, c.bonus DESC;
END
$$;
