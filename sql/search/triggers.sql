CREATE FUNCTION search.fill_slug_of_article()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_base text;
BEGIN
  IF NEW.slug IS NULL THEN
    v_base := platform.slugify(NEW.name);
    NEW.slug := platform.free_slug(
      TG_TABLE_NAME,
      NEW.merchant_id,
      NEW.id,
      v_base,
      EXISTS (SELECT FROM search.article o WHERE o.merchant_id = NEW.merchant_id AND o.slug = v_base)
    );
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_slug
BEFORE INSERT OR UPDATE OF slug ON search.article
FOR EACH ROW
EXECUTE FUNCTION search.fill_slug_of_article();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON search.article
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION search.note_publication()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.published_at := now();
  RETURN NEW;
END;
$$;

CREATE TRIGGER note_publication
BEFORE INSERT OR UPDATE OF status ON search.article
FOR EACH ROW
WHEN (NEW.status = 'PUBLISHED' AND NEW.published_at IS NULL)
EXECUTE FUNCTION search.note_publication();

CREATE FUNCTION search.follow_new_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- In parts of 1,000, so that the memory has a bound.
  PERFORM search.write_products(array_agg(c.product))
  FROM (SELECT p::catalog.product AS product, (row_number() OVER () - 1) / 1000 AS part FROM changed p) c
  GROUP BY c.part;
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT ON catalog.product
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_new_products();

CREATE FUNCTION search.follow_changed_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_products(array_agg(c.product))
  FROM
    (
      SELECT p::catalog.product AS product, (row_number() OVER () - 1) / 1000 AS part
      FROM
        changed p
        JOIN before b ON b.merchant_id = p.merchant_id AND b.id = p.id
      WHERE
        (
          p.name,
          p.description,
          p.sku,
          p.variant_skus,
          p.tags,
          p.status,
          p.deleted_at,
          p.lowest_price,
          p.highest_price,
          p.created_at
        ) IS DISTINCT FROM (
          b.name,
          b.description,
          b.sku,
          b.variant_skus,
          b.tags,
          b.status,
          b.deleted_at,
          b.lowest_price,
          b.highest_price,
          b.created_at
        )
    ) c
  GROUP BY c.part;
  PERFORM search.write_facet_keys(c.merchant_id, c.ids)
  FROM
    (
      SELECT p.merchant_id, array_agg(p.id) AS ids
      FROM
        changed p
        JOIN before b ON b.merchant_id = p.merchant_id AND b.id = p.id
      WHERE p.metadata <> b.metadata AND p.deleted_at IS NULL
      GROUP BY p.merchant_id
    ) c
  WHERE search.has_attributes(c.merchant_id, 'PRODUCT');
  INSERT INTO search.stale_product (merchant_id, product_id)
  SELECT p.merchant_id, p.id
  FROM
    changed p
    JOIN before b ON b.merchant_id = p.merchant_id AND b.id = p.id
  WHERE p.popularity <> b.popularity OR p.in_stock <> b.in_stock;
  RETURN NULL;
END;
$$;

/* sql-parser-cst-disable */
CREATE TRIGGER follow_search_of_changes AFTER UPDATE ON catalog.product
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT WHEN (NOT search.follows_later()) EXECUTE FUNCTION search.follow_changed_products();
/* sql-parser-cst-enable */

CREATE FUNCTION search.follow_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_category(NEW.merchant_id, NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT OR UPDATE OF name, description ON catalog.category
FOR EACH ROW
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_category();

CREATE FUNCTION search.follow_article()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_article(NEW.merchant_id, NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT OR UPDATE OF name, excerpt, body, tags, status ON search.article
FOR EACH ROW
EXECUTE FUNCTION search.follow_article();

CREATE FUNCTION search.note_language()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO search.changed_language (merchant_id)
  VALUES (NEW.merchant_id)
  ON CONFLICT (merchant_id) DO UPDATE SET waits_for = NULL;
  RETURN NULL;
END;
$$;

CREATE TRIGGER note_language
AFTER UPDATE OF language ON merchant.settings
FOR EACH ROW
WHEN (NEW.language <> OLD.language)
EXECUTE FUNCTION search.note_language();

CREATE FUNCTION search.follow_synonyms()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_synonyms(NEW.merchant_id, NEW.search_synonyms, NEW.search_stop_words);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_synonyms_of_new
AFTER INSERT ON merchant.settings
FOR EACH ROW
WHEN (NEW.search_synonyms <> '{}' OR NEW.search_stop_words <> '{}')
EXECUTE FUNCTION search.follow_synonyms();

CREATE TRIGGER follow_synonyms
AFTER UPDATE OF language, search_synonyms, search_stop_words ON merchant.settings
FOR EACH ROW
WHEN
  (
    (NEW.language, NEW.search_synonyms, NEW.search_stop_words) IS DISTINCT FROM (
      OLD.language,
      OLD.search_synonyms,
      OLD.search_stop_words
    )
  )
EXECUTE FUNCTION search.follow_synonyms();

CREATE FUNCTION search.follow_categories()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_facet_keys(c.merchant_id, c.product_ids)
  FROM (SELECT merchant_id, array_agg(DISTINCT product_id) AS product_ids FROM changed GROUP BY merchant_id) c;
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT ON catalog.category_product
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_categories();

CREATE TRIGGER follow_search_of_deletions
AFTER DELETE ON catalog.category_product
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_categories();

CREATE FUNCTION search.follow_options()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_facet_keys(c.merchant_id, c.product_ids)
  FROM
    (
      SELECT v.merchant_id, array_agg(DISTINCT v.product_id) AS product_ids
      FROM
        changed o
        JOIN catalog.product_variant v ON v.merchant_id = o.merchant_id AND v.id = o.variant_id
      GROUP BY v.merchant_id
    ) c;
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT ON catalog.variant_option
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_options();

CREATE TRIGGER follow_search_of_changes
AFTER UPDATE ON catalog.variant_option
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_options();

CREATE TRIGGER follow_search_of_deletions
AFTER DELETE ON catalog.variant_option
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_options();

CREATE FUNCTION search.follow_new_variants()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- The stock of a product with variants is its variants'.
  INSERT INTO search.stale_product (merchant_id, product_id) SELECT DISTINCT v.merchant_id, v.product_id FROM changed v;
  PERFORM search.write_facet_keys(c.merchant_id, c.ids)
  FROM
    (
      SELECT v.merchant_id, array_agg(DISTINCT v.product_id) AS ids
      FROM changed v
      WHERE v.metadata <> '{}'
      GROUP BY v.merchant_id
    ) c
  WHERE search.has_attributes(c.merchant_id, 'PRODUCT_VARIANT');
  RETURN NULL;
END;
$$;

CREATE FUNCTION search.follow_changed_variants()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_facet_keys(c.merchant_id, c.ids)
  FROM
    (
      SELECT v.merchant_id, array_agg(DISTINCT v.product_id) AS ids
      FROM
        changed v
        JOIN before b ON b.merchant_id = v.merchant_id AND b.id = v.id
      WHERE v.metadata <> b.metadata
      GROUP BY v.merchant_id
    ) c
  WHERE search.has_attributes(c.merchant_id, 'PRODUCT_VARIANT');
  RETURN NULL;
END;
$$;

/* sql-parser-cst-disable */
CREATE TRIGGER follow_search_of_changes AFTER UPDATE ON catalog.product_variant
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search.follow_changed_variants();
/* sql-parser-cst-enable */

CREATE FUNCTION search.note_attributes()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- A deletion of the merchant leaves nothing to write.
  INSERT INTO search.changed_attributes (merchant_id)
  SELECT m.id
  FROM merchant.merchant m
  WHERE m.id = coalesce(NEW.merchant_id, OLD.merchant_id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER note_attributes_of_new
AFTER INSERT ON metadata.definition
FOR EACH ROW
WHEN (NEW.is_attribute)
EXECUTE FUNCTION search.note_attributes();

CREATE TRIGGER note_attributes
AFTER UPDATE OF is_attribute ON metadata.definition
FOR EACH ROW
WHEN (NEW.is_attribute <> OLD.is_attribute)
EXECUTE FUNCTION search.note_attributes();

CREATE TRIGGER note_attributes_of_deletions
AFTER DELETE ON metadata.definition
FOR EACH ROW
WHEN (OLD.is_attribute)
EXECUTE FUNCTION search.note_attributes();

CREATE TRIGGER follow_search
AFTER INSERT ON catalog.product_variant
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT search.follows_later())
EXECUTE FUNCTION search.follow_new_variants();

CREATE FUNCTION search.follow_ended_variant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO search.stale_product (merchant_id, product_id)
  SELECT p.merchant_id, p.id
  FROM catalog.product p
  WHERE p.merchant_id = OLD.merchant_id AND p.id = OLD.product_id;
  PERFORM search.write_facet_keys(OLD.merchant_id, ARRAY[OLD.product_id]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search_of_deletions
AFTER DELETE OR UPDATE OF deleted_at ON catalog.product_variant
FOR EACH ROW
EXECUTE FUNCTION search.follow_ended_variant();

CREATE FUNCTION search.note_tally()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- A deletion of the merchant leaves nothing to count.
  INSERT INTO search.tally_change
    (
      merchant_id,
      document_id,
      sign,
      type,
      public,
      status,
      lowest_price,
      highest_price,
      in_stock,
      facet_keys,
      word_scopes
    )
  SELECT
    d.merchant_id,
    d.id,
    CASE TG_OP
      WHEN 'INSERT' THEN 1
      ELSE -1
    END,
    search.type_of(d::search.document),
    d.public,
    d.status,
    d.lowest_price,
    d.highest_price,
    d.in_stock,
    d.facet_keys,
    search.word_scopes_of(d.merchant_id, d.words)
  FROM changed d
  WHERE
    EXISTS (
      SELECT
      FROM
        search.tallied_scope t
        JOIN merchant.merchant m ON m.id = t.merchant_id
      WHERE t.merchant_id = d.merchant_id AND t.scope = 0
    );
  RETURN NULL;
END;
$$;

CREATE FUNCTION search.note_changed_tally()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO search.tally_change
    (
      merchant_id,
      document_id,
      sign,
      type,
      public,
      status,
      lowest_price,
      highest_price,
      in_stock,
      facet_keys,
      word_scopes
    )
  SELECT
    x.merchant_id,
    x.id,
    x.sign,
    search.type_of(x.document),
    (x.document).public,
    (x.document).status,
    (x.document).lowest_price,
    (x.document).highest_price,
    (x.document).in_stock,
    (x.document).facet_keys,
    x.word_scopes
  FROM
    (
      SELECT d.merchant_id, d.id, v.sign, v.document, v.word_scopes
      FROM
        changed d
        JOIN before b ON b.merchant_id = d.merchant_id AND b.id = d.id
        CROSS JOIN LATERAL (
          SELECT
            search.word_scopes_of(b.merchant_id, b.words) AS before,
            search.word_scopes_of(d.merchant_id, d.words) AS now
          -- With OFFSET 0 they are looked up once.
          OFFSET 0
        ) w
        CROSS JOIN LATERAL (
          VALUES
            (-1, b::search.document, w.before),
            (1, d::search.document, w.now)
        ) AS v (sign, document, word_scopes)
      WHERE
        EXISTS (SELECT FROM search.tallied_scope t WHERE t.merchant_id = d.merchant_id AND t.scope = 0)
        AND (d.public, d.status, d.lowest_price, d.highest_price, d.in_stock, d.facet_keys, w.now) IS DISTINCT FROM (
          b.public,
          b.status,
          b.lowest_price,
          b.highest_price,
          b.in_stock,
          b.facet_keys,
          w.before
        )
    ) x;
  RETURN NULL;
END;
$$;

CREATE TRIGGER note_tally
AFTER INSERT ON search.document
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION search.note_tally();

CREATE TRIGGER note_tally_of_deletions
AFTER DELETE ON search.document
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION search.note_tally();
/* sql-parser-cst-disable */
CREATE TRIGGER note_tally_of_changes AFTER UPDATE ON search.document
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search.note_changed_tally();
/* sql-parser-cst-enable */
