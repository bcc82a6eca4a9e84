CREATE TRIGGER fill_slug
BEFORE INSERT OR UPDATE OF slug ON search.article
FOR EACH ROW
EXECUTE FUNCTION platform.fill_slug();

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
        (p.name, p.description, p.sku, p.variant_skus, p.tags, p.status, p.deleted_at) IS DISTINCT FROM (
          b.name,
          b.description,
          b.sku,
          b.variant_skus,
          b.tags,
          b.status,
          b.deleted_at
        )
    ) c
  GROUP BY c.part;
  RETURN NULL;
END;
$$;

/* sql-parser-cst-disable */
CREATE TRIGGER follow_search_of_changes AFTER UPDATE ON catalog.product
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION search.follow_changed_products();
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
  INSERT INTO search.changed_language (merchant_id) VALUES (NEW.merchant_id) ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE TRIGGER note_language
AFTER UPDATE OF language ON merchant.settings
FOR EACH ROW
WHEN (NEW.language <> OLD.language)
EXECUTE FUNCTION search.note_language();
