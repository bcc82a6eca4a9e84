CREATE TRIGGER fill_slug
BEFORE INSERT OR UPDATE OF slug ON catalog.product
FOR EACH ROW
EXECUTE FUNCTION platform.fill_slug();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON catalog.product
FOR EACH ROW
WHEN (NEW.popularity = OLD.popularity)
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON catalog.product_variant
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION catalog.release_slug()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.slug := 'deleted-' || NEW.id;
  RETURN NEW;
END;
$$;

CREATE TRIGGER release_slug
BEFORE UPDATE OF deleted_at ON catalog.product
FOR EACH ROW
WHEN (NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL)
EXECUTE FUNCTION catalog.release_slug();

CREATE FUNCTION catalog.set_price_range()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_range record;
BEGIN
  IF TG_OP = 'INSERT' THEN
    -- It has no variants yet.
    NEW.lowest_price := NEW.price;
    NEW.highest_price := NEW.price;
    RETURN NEW;
  END IF;
  SELECT r.lowest, r.highest INTO v_range FROM catalog.price_range(NEW.merchant_id, NEW.id, NEW.price) r;
  NEW.lowest_price := v_range.lowest;
  NEW.highest_price := v_range.highest;
  RETURN NEW;
END;
$$;

CREATE TRIGGER set_price_range
BEFORE INSERT OR UPDATE OF price ON catalog.product
FOR EACH ROW
EXECUTE FUNCTION catalog.set_price_range();

CREATE FUNCTION catalog.follow_variant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_variant catalog.product_variant := coalesce(NEW, OLD);
BEGIN
  -- Held before the variants are read: of two transactions that add one each, the second sees the first's.
  PERFORM
  FROM catalog.product p
  WHERE p.merchant_id = v_variant.merchant_id AND p.id = v_variant.product_id
  FOR NO KEY UPDATE;
  PERFORM catalog.sum_up_variants(v_variant.merchant_id, ARRAY[v_variant.product_id]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER follow_variant
AFTER INSERT OR DELETE OR UPDATE OF price, sku, position, deleted_at ON catalog.product_variant
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION catalog.follow_variant();

CREATE FUNCTION catalog.check_variant_options()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_product_id uuid;
BEGIN
  SELECT v.product_id
  INTO v_product_id
  FROM catalog.product_variant v
  WHERE v.merchant_id = NEW.merchant_id AND v.id = NEW.variant_id AND v.deleted_at IS NULL;
  PERFORM FROM catalog.product p WHERE p.merchant_id = NEW.merchant_id AND p.id = v_product_id FOR NO KEY UPDATE;
  IF
    EXISTS (
      SELECT
      FROM catalog.product_variant v
      WHERE
        v.merchant_id = NEW.merchant_id
        AND v.product_id = v_product_id
        AND v.deleted_at IS NULL
        AND v.id <> NEW.variant_id
        AND catalog.options_of(NEW.merchant_id, v.id) = catalog.options_of(NEW.merchant_id, NEW.variant_id)
    )
  THEN
    PERFORM platform.violate('catalog.product_variant', 'product_variant_options_key');
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER product_variant_options_key
AFTER INSERT OR UPDATE ON catalog.variant_option
FOR EACH ROW
EXECUTE FUNCTION catalog.check_variant_options();

CREATE FUNCTION catalog.check_variants_have_options()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_changed jsonb := to_jsonb(coalesce(NEW, OLD));
  v_merchant_id uuid := v_changed ->> 'merchant_id';
  v_product_id uuid;
BEGIN
  SELECT v.product_id
  INTO v_product_id
  FROM catalog.product_variant v
  WHERE
    v.merchant_id = v_merchant_id
    AND v.id = coalesce(v_changed ->> 'variant_id', v_changed ->> 'id')::uuid
    AND v.deleted_at IS NULL;
  PERFORM FROM catalog.product p WHERE p.merchant_id = v_merchant_id AND p.id = v_product_id FOR NO KEY UPDATE;
  IF
    (
      SELECT
        count(*) > 1
        AND bool_or(
          NOT EXISTS (SELECT FROM catalog.variant_option o WHERE o.merchant_id = v.merchant_id AND o.variant_id = v.id)
        )
      FROM catalog.product_variant v
      WHERE v.merchant_id = v_merchant_id AND v.product_id = v_product_id AND v.deleted_at IS NULL
    )
  THEN
    PERFORM platform.violate('catalog.product_variant', 'product_variant_options_needed');
  END IF;
  RETURN NULL;
END;
$$;

CREATE CONSTRAINT TRIGGER product_variant_options_needed
AFTER INSERT OR UPDATE OF product_id, deleted_at ON catalog.product_variant
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
EXECUTE FUNCTION catalog.check_variants_have_options();

CREATE CONSTRAINT TRIGGER product_variant_options_needed
AFTER DELETE ON catalog.variant_option
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
EXECUTE FUNCTION catalog.check_variants_have_options();

CREATE TRIGGER fill_slug
BEFORE INSERT OR UPDATE OF slug ON catalog.category
FOR EACH ROW
EXECUTE FUNCTION platform.fill_slug();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON catalog.category
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION catalog.set_category_level()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  parent_level integer;
BEGIN
  -- Of two that move categories of one tree, the second sees what the first did: else each could put its own below the
  -- other's.
  IF TG_OP = 'INSERT' THEN
    PERFORM pg_advisory_xact_lock_shared(catalog.tree_lock(NEW.merchant_id));
  ELSE
    PERFORM pg_advisory_xact_lock(catalog.tree_lock(NEW.merchant_id));
  END IF;
  IF NEW.parent_id IS NULL THEN
    NEW.level := 0;
    RETURN NEW;
  END IF;
  IF
    EXISTS (
      WITH RECURSIVE
        ancestor AS (
          SELECT c.id, c.parent_id, 1 AS depth
          FROM catalog.category c
          WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.parent_id
          UNION ALL
          SELECT c.id, c.parent_id, a.depth + 1
          FROM
            catalog.category c
            JOIN ancestor a ON c.merchant_id = NEW.merchant_id AND c.id = a.parent_id
          WHERE a.depth < 20
        )
      SELECT
      FROM ancestor
      WHERE id = NEW.id
    )
  THEN
    PERFORM platform.violate('catalog.category', 'category_no_cycle', 'a category cannot be its own ancestor');
  END IF;
  SELECT c.level
  INTO parent_level
  FROM catalog.category c
  WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.parent_id;
  NEW.level := coalesce(parent_level, 0) + 1;
  IF NEW.level > 9 THEN
    PERFORM platform.violate('catalog.category', 'category_depth', 'categories nest at most 10 levels deep');
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER set_level
BEFORE INSERT OR UPDATE OF parent_id, level ON catalog.category
FOR EACH ROW
EXECUTE FUNCTION catalog.set_category_level();

CREATE FUNCTION catalog.move_subcategories()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE catalog.category SET level = NEW.level + 1 WHERE merchant_id = NEW.merchant_id AND parent_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER move_subcategories
AFTER UPDATE OF parent_id, level ON catalog.category
FOR EACH ROW
WHEN (NEW.level <> OLD.level)
EXECUTE FUNCTION catalog.move_subcategories();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON catalog.review
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION catalog.list_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- Of two that link and unlink one product, the second sees what the first did.
  PERFORM
  FROM
    catalog.product p
    JOIN changed c ON p.merchant_id = c.merchant_id AND p.id = c.product_id
  ORDER BY p.merchant_id, p.id
  FOR NO KEY UPDATE OF p;
  PERFORM pg_advisory_xact_lock_shared(catalog.tree_lock(m.merchant_id))
  FROM (SELECT DISTINCT c.merchant_id FROM changed c ORDER BY c.merchant_id) m;
  INSERT INTO catalog.category_product (merchant_id, category_id, product_id, created_at)
  SELECT DISTINCT p.merchant_id, a.id, p.id, p.created_at
  FROM
    changed c
    CROSS JOIN LATERAL catalog.category_path(c.merchant_id, c.category_id) AS a (id)
    JOIN catalog.product p ON p.merchant_id = c.merchant_id AND p.id = c.product_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE TRIGGER list_products
AFTER INSERT ON catalog.product_category
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION catalog.list_products();

CREATE FUNCTION catalog.unlist_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM
    catalog.product p
    JOIN changed c ON p.merchant_id = c.merchant_id AND p.id = c.product_id
  ORDER BY p.merchant_id, p.id
  FOR NO KEY UPDATE OF p;
  PERFORM pg_advisory_xact_lock_shared(catalog.tree_lock(m.merchant_id))
  FROM (SELECT DISTINCT c.merchant_id FROM changed c ORDER BY c.merchant_id) m;
  DELETE FROM catalog.category_product x
  USING
    changed c
    CROSS JOIN LATERAL catalog.category_path(c.merchant_id, c.category_id) AS a (id)
  WHERE
    x.merchant_id = c.merchant_id
    AND x.category_id = a.id
    AND x.product_id = c.product_id
    AND NOT EXISTS (
      SELECT
      FROM catalog.product_category l
      WHERE
        l.merchant_id = c.merchant_id
        AND l.product_id = c.product_id
        AND l.category_id IN (SELECT catalog.category_subtree(c.merchant_id, a.id))
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER unlist_products
AFTER DELETE ON catalog.product_category
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION catalog.unlist_products();

CREATE FUNCTION catalog.unlink_category()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM catalog.product_category l WHERE l.merchant_id = OLD.merchant_id AND l.category_id = OLD.id;
  RETURN OLD;
END;
$$;

CREATE TRIGGER unlink_category
BEFORE DELETE ON catalog.category
FOR EACH ROW
EXECUTE FUNCTION catalog.unlink_category();

CREATE FUNCTION catalog.move_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM catalog.category_product x
  USING
    catalog.category_path(OLD.merchant_id, OLD.parent_id) AS a (id),
    catalog.category_product moved
  WHERE
    moved.merchant_id = NEW.merchant_id
    AND moved.category_id = NEW.id
    AND x.merchant_id = moved.merchant_id
    AND x.category_id = a.id
    AND x.product_id = moved.product_id
    AND NOT EXISTS (
      SELECT
      FROM catalog.product_category l
      WHERE
        l.merchant_id = x.merchant_id
        AND l.product_id = x.product_id
        AND l.category_id IN (SELECT catalog.category_subtree(x.merchant_id, a.id))
    );
  INSERT INTO catalog.category_product (merchant_id, category_id, product_id, created_at)
  SELECT moved.merchant_id, a.id, moved.product_id, moved.created_at
  FROM
    catalog.category_path(NEW.merchant_id, NEW.parent_id) AS a (id),
    catalog.category_product moved
  WHERE moved.merchant_id = NEW.merchant_id AND moved.category_id = NEW.id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END;
$$;

CREATE TRIGGER move_products
AFTER UPDATE OF parent_id ON catalog.category
FOR EACH ROW
WHEN (NEW.parent_id IS DISTINCT FROM OLD.parent_id)
EXECUTE FUNCTION catalog.move_products();

CREATE FUNCTION catalog.date_links()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE catalog.category_product l
  SET created_at = NEW.created_at
  WHERE l.merchant_id = NEW.merchant_id AND l.product_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER date_links
AFTER UPDATE OF created_at ON catalog.product
FOR EACH ROW
WHEN (NEW.created_at <> OLD.created_at)
EXECUTE FUNCTION catalog.date_links();

CREATE FUNCTION catalog.verify_purchase()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.verified_purchase := catalog.has_bought(NEW.merchant_id, NEW.customer_id, NEW.product_id);
  RETURN NEW;
END;
$$;

CREATE TRIGGER verify_purchase
BEFORE INSERT ON catalog.review
FOR EACH ROW
EXECUTE FUNCTION catalog.verify_purchase();
