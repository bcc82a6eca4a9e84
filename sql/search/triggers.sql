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

CREATE FUNCTION search.follow_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM search.write_product(NEW.merchant_id, NEW.id);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_search
AFTER INSERT OR UPDATE OF name, description, sku, variant_skus, tags, status, deleted_at ON catalog.product
FOR EACH ROW
EXECUTE FUNCTION search.follow_product();

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
