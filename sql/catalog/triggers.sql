CREATE FUNCTION catalog.fill_slug_of_product()
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
      EXISTS (SELECT FROM catalog.product o WHERE o.merchant_id = NEW.merchant_id AND o.slug = v_base)
    );
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_slug
BEFORE INSERT OR UPDATE OF slug ON catalog.product
FOR EACH ROW
EXECUTE FUNCTION catalog.fill_slug_of_product();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON catalog.product
FOR EACH ROW
WHEN (NEW.popularity = OLD.popularity AND NEW.in_stock = OLD.in_stock)
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
    -- It has no variants yet. An import writes them next, and knows their prices.
    IF NOT platform.importing() OR NEW.lowest_price IS NULL THEN
      NEW.lowest_price := NEW.price;
      NEW.highest_price := NEW.price;
    END IF;
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

-- Of all variants of a product, no two have the same options, in any case.
--
-- Each row is looked up by its key, whatever Postgres knows of the tables: those that an import fills look empty, and
-- would be read whole for each row.
CREATE FUNCTION catalog.check_variant_options()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_merchant_ids uuid[];
  v_product_ids uuid[];
BEGIN
  SELECT array_agg(p.merchant_id), array_agg(p.product_id)
  INTO v_merchant_ids, v_product_ids
  FROM
    (
      SELECT DISTINCT v.merchant_id, v.product_id
      FROM
        changed c
        CROSS JOIN LATERAL (
          SELECT v.merchant_id, v.product_id
          FROM catalog.product_variant v
          WHERE v.merchant_id = c.merchant_id AND v.id = c.variant_id AND v.deleted_at IS NULL
          OFFSET 0
        ) v
      ORDER BY v.merchant_id, v.product_id
    ) p;
  -- Of two transactions that give options to one product, the second sees the first's.
  PERFORM
  FROM
    unnest(v_merchant_ids, v_product_ids) AS c (merchant_id, product_id)
    CROSS JOIN LATERAL (
      SELECT
      FROM catalog.product p
      WHERE p.merchant_id = c.merchant_id AND p.id = c.product_id
      FOR NO KEY UPDATE
    ) p;
  IF
    EXISTS (
      SELECT
      FROM
        unnest(v_merchant_ids, v_product_ids) AS c (merchant_id, product_id)
        CROSS JOIN LATERAL (
          SELECT v.id
          FROM catalog.product_variant v
          WHERE v.merchant_id = c.merchant_id AND v.product_id = c.product_id AND v.deleted_at IS NULL
          OFFSET 0
        ) v
        CROSS JOIN LATERAL (
          SELECT jsonb_object_agg(lower(o.name), lower(o.value)) AS options
          FROM catalog.variant_option o
          WHERE o.merchant_id = c.merchant_id AND o.variant_id = v.id
        ) o
      WHERE o.options IS NOT NULL
      GROUP BY c.merchant_id, c.product_id, o.options
      HAVING count(*) > 1
    )
  THEN
    PERFORM platform.violate('catalog.product_variant', 'product_variant_options_key');
  END IF;
  RETURN NULL;
END;
$$;

CREATE TRIGGER product_variant_options_key
AFTER INSERT ON catalog.variant_option
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION catalog.check_variant_options();

CREATE TRIGGER product_variant_options_key_of_update
AFTER UPDATE ON catalog.variant_option
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION catalog.check_variant_options();

-- Of several variants of a product, each has options.
CREATE FUNCTION catalog.require_variant_options(p_merchant_id uuid, p_product_ids uuid[])
RETURNS void
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM catalog.product p
  WHERE p.merchant_id = p_merchant_id AND p.id = ANY (p_product_ids)
  ORDER BY p.id
  FOR NO KEY UPDATE;
  IF
    EXISTS (
      SELECT
      FROM catalog.product_variant v
      WHERE v.merchant_id = p_merchant_id AND v.product_id = ANY (p_product_ids) AND v.deleted_at IS NULL
      GROUP BY v.product_id
      HAVING
        count(*) > 1
        AND bool_or(
          NOT EXISTS (SELECT FROM catalog.variant_option o WHERE o.merchant_id = v.merchant_id AND o.variant_id = v.id)
        )
    )
  THEN
    PERFORM platform.violate('catalog.product_variant', 'product_variant_options_needed');
  END IF;
END;
$$;

CREATE FUNCTION catalog.check_variants_have_options()
RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_changed jsonb := to_jsonb(coalesce(NEW, OLD));
  v_merchant_id uuid := v_changed ->> 'merchant_id';
  v_variant_id uuid := coalesce(v_changed ->> 'variant_id', v_changed ->> 'id');
BEGIN
  PERFORM catalog.require_variant_options(v.merchant_id, ARRAY[v.product_id])
  FROM catalog.product_variant v
  WHERE v.merchant_id = v_merchant_id AND v.id = v_variant_id AND v.deleted_at IS NULL;
  RETURN NULL;
END;
$$;

CREATE CONSTRAINT TRIGGER product_variant_options_needed
AFTER INSERT OR UPDATE OF product_id, deleted_at ON catalog.product_variant
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION catalog.check_variants_have_options();

CREATE CONSTRAINT TRIGGER product_variant_options_needed
AFTER DELETE ON catalog.variant_option
DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION catalog.check_variants_have_options();

CREATE FUNCTION catalog.fill_slug_of_category()
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
      EXISTS (SELECT FROM catalog.category o WHERE o.merchant_id = NEW.merchant_id AND o.slug = v_base)
    );
  END IF;
  RETURN NEW;
END;
$$;

CREATE TRIGGER fill_slug
BEFORE INSERT OR UPDATE OF slug ON catalog.category
FOR EACH ROW
EXECUTE FUNCTION catalog.fill_slug_of_category();

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
  WITH
    -- Each path is computed once, however many products the category got.
    ancestor AS MATERIALIZED (
      SELECT c.merchant_id, c.category_id, a.id
      FROM
        (SELECT DISTINCT merchant_id, category_id FROM changed) c
        CROSS JOIN LATERAL catalog.category_path(c.merchant_id, c.category_id) AS a (id)
    )
  INSERT INTO catalog.category_product (merchant_id, category_id, product_id, created_at)
  SELECT DISTINCT p.merchant_id, a.id, p.id, p.created_at
  FROM
    ancestor a
    JOIN changed c ON c.merchant_id = a.merchant_id AND c.category_id = a.category_id
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
