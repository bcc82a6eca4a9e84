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
  -- The words, with the weight of where they stand: A the title, B SKUs and tags, C excerpts and categories' descriptions, D the rest.
  words tsvector NOT NULL,
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

CREATE FUNCTION search.weighed(p_text text, p_weight "char") RETURNS tsvector
LANGUAGE sql STABLE PARALLEL SAFE
AS $$
  SELECT setweight(to_tsvector('simple', search.normalized(p_text)), p_weight)
$$;

-- Writes down the words that are new. p_words: of a document.
CREATE FUNCTION search.learn_words(p_merchant_id uuid, p_words tsvector) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  INSERT INTO search.word (merchant_id, word)
  SELECT p_merchant_id, lexeme
  FROM unnest(tsvector_to_array(p_words)) AS lexeme
  WHERE char_length(lexeme) <= 60
    AND NOT EXISTS (SELECT FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word = lexeme)
$$;

-- Writes a product's document anew, from the product and its variants as they are.
CREATE FUNCTION search.write_product(p_merchant_id uuid, p_product_id uuid) RETURNS void
LANGUAGE plpgsql
AS $$
DECLARE
  v_product catalog.product;
  v_words tsvector;
BEGIN
  -- Held before it is looked at: of two that add a variant each, the second sees the first's.
  PERFORM FROM search.document d WHERE d.merchant_id = p_merchant_id AND d.product_id = p_product_id FOR NO KEY UPDATE;
  SELECT * INTO v_product FROM catalog.product p WHERE p.merchant_id = p_merchant_id AND p.id = p_product_id AND p.deleted_at IS NULL;
  IF NOT FOUND THEN
    DELETE FROM search.document d WHERE d.merchant_id = p_merchant_id AND d.product_id = p_product_id;
    RETURN;
  END IF;
  v_words := search.weighed(v_product.name, 'A')
    || search.weighed(
      concat_ws(' ', v_product.sku, array_to_string(v_product.tags, ' '), (
        SELECT string_agg(v.sku, ' ' ORDER BY v.id) FROM catalog.product_variant v
        WHERE v.merchant_id = p_merchant_id AND v.product_id = p_product_id AND v.deleted_at IS NULL
      )),
      'B'
    )
    || search.weighed(v_product.description, 'D');
  INSERT INTO search.document (merchant_id, product_id, title, shown_title, public, words)
  VALUES (p_merchant_id, p_product_id, search.normalized(v_product.name), v_product.name, v_product.status = 'ACTIVE', v_words)
  ON CONFLICT (merchant_id, product_id) DO UPDATE
  SET title = excluded.title, shown_title = excluded.shown_title, public = excluded.public, words = excluded.words;
  PERFORM search.learn_words(p_merchant_id, v_words);
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
-- Popularity moves with every order and changes nothing here.
CREATE TRIGGER follow_search AFTER INSERT OR UPDATE OF name, description, sku, tags, status, deleted_at ON catalog.product
  FOR EACH ROW EXECUTE FUNCTION search.follow_product();

-- A product is found by its variants' SKUs as well.
CREATE FUNCTION search.follow_variant() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_product(coalesce(NEW.merchant_id, OLD.merchant_id), coalesce(NEW.product_id, OLD.product_id));
  RETURN NULL;
END
$$;
CREATE TRIGGER follow_search AFTER INSERT OR DELETE OR UPDATE OF sku, deleted_at ON catalog.product_variant
  FOR EACH ROW EXECUTE FUNCTION search.follow_variant();

CREATE FUNCTION search.follow_category() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_words tsvector := search.weighed(NEW.name, 'A') || search.weighed(NEW.description, 'C');
BEGIN
  INSERT INTO search.document (merchant_id, category_id, title, shown_title, public, words)
  VALUES (NEW.merchant_id, NEW.id, search.normalized(NEW.name), NEW.name, true, v_words)
  ON CONFLICT (merchant_id, category_id) DO UPDATE
  SET title = excluded.title, shown_title = excluded.shown_title, words = excluded.words;
  PERFORM search.learn_words(NEW.merchant_id, v_words);
  RETURN NULL;
END
$$;
CREATE TRIGGER follow_search AFTER INSERT OR UPDATE OF name, description ON catalog.category
  FOR EACH ROW EXECUTE FUNCTION search.follow_category();

CREATE FUNCTION search.follow_article() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_words tsvector := search.weighed(NEW.name, 'A') || search.weighed(array_to_string(NEW.tags, ' '), 'B')
    || search.weighed(NEW.excerpt, 'C') || search.weighed(NEW.body, 'D');
BEGIN
  INSERT INTO search.document (merchant_id, article_id, title, shown_title, public, words)
  VALUES (NEW.merchant_id, NEW.id, search.normalized(NEW.name), NEW.name, NEW.status = 'PUBLISHED', v_words)
  ON CONFLICT (merchant_id, article_id) DO UPDATE
  SET title = excluded.title, shown_title = excluded.shown_title, public = excluded.public, words = excluded.words;
  PERFORM search.learn_words(NEW.merchant_id, v_words);
  RETURN NULL;
END
$$;
CREATE TRIGGER follow_search AFTER INSERT OR UPDATE OF name, excerpt, body, tags, status ON search.article
  FOR EACH ROW EXECUTE FUNCTION search.follow_article();

-- What was there before is found as well.
SELECT search.write_product(p.merchant_id, p.id) FROM catalog.product p WHERE p.deleted_at IS NULL;
UPDATE catalog.category SET name = name;

-- The letters of a word, in alphabetical order: words with the same ones differ by their order only.
CREATE FUNCTION search.letters(p_word text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT string_agg(letter, '' ORDER BY letter) FROM regexp_split_to_table(p_word, '') AS letter
$$;

-- What is asked for a word that was typed: words that begin with it; where the merchant's documents have none, the three that were
-- most likely meant: the same letters in another order, or a few too many, too few or wrong ones. NULL: there is nothing like it.
CREATE FUNCTION search.meant(p_merchant_id uuid, p_word text) RETURNS text
LANGUAGE plpgsql STABLE
SET plan_cache_mode = force_custom_plan
AS $$
DECLARE
  -- Of three letters, everything is a likely mistake for everything: only their order may be another.
  v_max_distance integer := CASE WHEN char_length(p_word) < 6 THEN 2 ELSE 3 END;
  v_words text;
BEGIN
  -- Longer ones are no words, and nobody learns them.
  IF char_length(p_word) > 60
    OR EXISTS (SELECT FROM search.word w WHERE w.merchant_id = p_merchant_id AND w.word LIKE p_word || '%')
  THEN
    RETURN quote_literal(p_word) || ':*';
  END IF;
  IF char_length(p_word) < 3 THEN
    RETURN NULL;
  END IF;
  SELECT string_agg(quote_literal(m.word) || CASE WHEN m.distance <= 2 THEN ':*' ELSE '' END, ' | ') INTO v_words
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
    WHERE char_length(p_word) > 3 OR search.letters(c.word) = search.letters(p_word)
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
    SELECT search.meant(p_merchant_id, x.word) AS term
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
            AND (p_price_min IS NULL OR p.price >= p_price_min)
            AND (p_price_max IS NULL OR p.price <= p_price_max)
            AND (p_status IS NULL OR p.status = p_status)
            AND (
              p_category_id IS NULL
              OR EXISTS (
                SELECT FROM catalog.product_category c
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
-- 50 that leave most. Prices are in up to five ranges of about as many products.
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
    SELECT p.id, p.price, p.status, p.tags FROM hit h
    JOIN catalog.product p ON p.merchant_id = h.merchant_id AND p.id = h.product_id
  ),
  priced AS (
    SELECT p.price, ntile(5) OVER (ORDER BY p.price) AS part FROM product p
  ),
  -- A price that two parts share belongs to the first, so that ranges don't meet.
  ranged AS (
    SELECT x.price, min(x.part) OVER (PARTITION BY x.price) AS part FROM priced x
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
      JOIN catalog.product_category x ON x.merchant_id = v_scope.merchant_id AND x.product_id = p.id
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
    SELECT 'PRICE', min(r.price) || '-' || max(r.price), min(r.price) || '-' || max(r.price), count(*), min(r.price), max(r.price)
    FROM ranged r GROUP BY r.part
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
