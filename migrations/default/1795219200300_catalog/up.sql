-- Products, their variants, images, categories and reviews.

CREATE SCHEMA catalog;

CREATE TABLE catalog.product (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  description text,
  sku text NOT NULL CHECK (sku <> ''),
  -- Money is minor units and stays below 2^53, the largest integer that JSON clients hold exactly.
  price bigint NOT NULL CHECK (price > 0 AND price < 9007199254740992),
  -- From which to which price it is sold: its variants' where it has some, else its own. What filters and PRICE go by; kept by triggers.
  lowest_price bigint NOT NULL,
  highest_price bigint NOT NULL,
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  compare_at_price bigint CHECK (compare_at_price > 0 AND compare_at_price < 9007199254740992),
  cost_per_item bigint CHECK (cost_per_item >= 0 AND cost_per_item < 9007199254740992),
  status text NOT NULL DEFAULT 'DRAFT' CHECK (status IN ('DRAFT', 'ACTIVE', 'ARCHIVED')),
  featured boolean NOT NULL DEFAULT false,
  slug text NOT NULL,
  tags text[] NOT NULL DEFAULT '{}',
  seo_title text,
  seo_description text,
  -- The variants' SKUs, a line each; kept by trigger.
  variant_skus text NOT NULL DEFAULT '',
  -- What searchQuery looks through. One column, because of a text that has to be in one of several Postgres expects too many matches to use an index.
  search_text text NOT NULL GENERATED ALWAYS AS (
    name || E'\n' || sku || E'\n' || variant_skus || E'\n' || coalesce(description, '')
  ) STORED,
  -- Units ever ordered; what POPULARITY sorts by. Kept by the ordering domain.
  popularity bigint NOT NULL DEFAULT 0,
  -- Orders point at their products forever, so a deleted product stays as a row that no list shows.
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT product_slug_key UNIQUE (merchant_id, slug)
);
CREATE UNIQUE INDEX product_sku_key ON catalog.product (merchant_id, sku) WHERE deleted_at IS NULL;
-- One index per sort field of the contract, ending in id: the keyset of a page.
CREATE INDEX product_created_at ON catalog.product (merchant_id, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX product_status_created_at ON catalog.product (merchant_id, status, created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX product_updated_at ON catalog.product (merchant_id, updated_at, id) WHERE deleted_at IS NULL;
CREATE INDEX product_name ON catalog.product (merchant_id, name, id) WHERE deleted_at IS NULL;
CREATE INDEX product_price ON catalog.product (merchant_id, lowest_price, id) WHERE deleted_at IS NULL;
CREATE INDEX product_popularity ON catalog.product (merchant_id, popularity, id) WHERE deleted_at IS NULL;
CREATE INDEX product_tags ON catalog.product USING gin (tags);
-- What waits to be sorted into the index is read with each search, so it is little.
CREATE INDEX product_search ON catalog.product USING gin (merchant_id, search_text gin_trgm_ops) WITH (gin_pending_list_limit = 256);
CREATE TRIGGER fill_slug BEFORE INSERT OR UPDATE OF slug ON catalog.product
  FOR EACH ROW EXECUTE FUNCTION platform.fill_slug();
-- Popularity moves with every order; that is not a change of the product.
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON catalog.product
  FOR EACH ROW WHEN (NEW.popularity = OLD.popularity) EXECUTE FUNCTION platform.touch_updated_at();

-- A deleted product gives its slug and sku free for the next one.
CREATE FUNCTION catalog.release_slug() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  NEW.slug := 'deleted-' || NEW.id;
  RETURN NEW;
END
$$;
CREATE TRIGGER release_slug BEFORE UPDATE OF deleted_at ON catalog.product
  FOR EACH ROW WHEN (NEW.deleted_at IS NOT NULL AND OLD.deleted_at IS NULL) EXECUTE FUNCTION catalog.release_slug();

CREATE TABLE catalog.product_image (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  url text NOT NULL CHECK (url ~ '^https?://'),
  alt text,
  width integer CHECK (width BETWEEN 1 AND 100000),
  height integer CHECK (height BETWEEN 1 AND 100000),
  position integer NOT NULL DEFAULT 0,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE
);
CREATE INDEX product_image_product ON catalog.product_image (merchant_id, product_id, position, id);

CREATE TABLE catalog.product_variant (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  sku text NOT NULL CHECK (sku <> ''),
  -- NULL: the product's own price.
  price bigint CHECK (price > 0 AND price < 9007199254740992),
  compare_at_price bigint CHECK (compare_at_price > 0 AND compare_at_price < 9007199254740992),
  position integer NOT NULL DEFAULT 0,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  -- What cart and order lines point at: a variant of that very product.
  CONSTRAINT product_variant_of_product_key UNIQUE (merchant_id, product_id, id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE
);
CREATE UNIQUE INDEX product_variant_sku_key ON catalog.product_variant (merchant_id, sku) WHERE deleted_at IS NULL;

-- Whether a product has variants, which are then what is sold and stocked: it has no stock of its own.
CREATE FUNCTION catalog.has_variants(p_merchant_id uuid, p_product_id uuid) RETURNS boolean
LANGUAGE sql STABLE
AS $$
  SELECT EXISTS (
    SELECT FROM catalog.product_variant v
    WHERE v.merchant_id = p_merchant_id AND v.product_id = p_product_id AND v.deleted_at IS NULL
  )
$$;

-- From which to which price a product is sold that costs p_price itself.
CREATE FUNCTION catalog.price_range(p_merchant_id uuid, p_product_id uuid, p_price bigint, OUT lowest bigint, OUT highest bigint)
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(min(coalesce(v.price, p_price)), p_price), coalesce(max(coalesce(v.price, p_price)), p_price)
  FROM catalog.product_variant v
  WHERE v.merchant_id = p_merchant_id AND v.product_id = p_product_id AND v.deleted_at IS NULL
$$;

CREATE FUNCTION catalog.set_price_range() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT r.lowest, r.highest INTO NEW.lowest_price, NEW.highest_price
  FROM catalog.price_range(NEW.merchant_id, NEW.id, NEW.price) r;
  RETURN NEW;
END
$$;
CREATE TRIGGER set_price_range BEFORE INSERT OR UPDATE OF price ON catalog.product
  FOR EACH ROW EXECUTE FUNCTION catalog.set_price_range();

-- A product says what its variants cost and what their SKUs are.
CREATE FUNCTION catalog.follow_variant() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_variant catalog.product_variant := coalesce(NEW, OLD);
BEGIN
  -- Held before the variants are read: of two transactions that add one each, the second sees the first's.
  PERFORM FROM catalog.product p WHERE p.merchant_id = v_variant.merchant_id AND p.id = v_variant.product_id FOR NO KEY UPDATE;
  UPDATE catalog.product p
  SET lowest_price = r.lowest, highest_price = r.highest, variant_skus = s.skus
  FROM
    catalog.product o,
    catalog.price_range(o.merchant_id, o.id, o.price) r,
    LATERAL (
      SELECT coalesce(string_agg(v.sku, E'\n' ORDER BY v.position, v.id), '') AS skus FROM catalog.product_variant v
      WHERE v.merchant_id = o.merchant_id AND v.product_id = o.id AND v.deleted_at IS NULL
    ) s
  WHERE o.merchant_id = v_variant.merchant_id AND o.id = v_variant.product_id
    AND p.merchant_id = o.merchant_id AND p.id = o.id
    AND (p.lowest_price, p.highest_price, p.variant_skus) IS DISTINCT FROM (r.lowest, r.highest, s.skus);
  RETURN NULL;
END
$$;
CREATE TRIGGER follow_variant AFTER INSERT OR DELETE OR UPDATE OF price, sku, position, deleted_at ON catalog.product_variant
  FOR EACH ROW EXECUTE FUNCTION catalog.follow_variant();

CREATE TABLE catalog.variant_option (
  merchant_id uuid NOT NULL,
  variant_id uuid NOT NULL,
  name text NOT NULL CHECK (name <> ''),
  value text NOT NULL CHECK (value <> ''),
  position integer NOT NULL DEFAULT 0,
  PRIMARY KEY (merchant_id, variant_id, name),
  FOREIGN KEY (merchant_id, variant_id) REFERENCES catalog.product_variant ON DELETE CASCADE
);

-- A variant's options as one value, whatever their order and the case of their letters.
CREATE FUNCTION catalog.options_of(p_merchant_id uuid, p_variant_id uuid) RETURNS jsonb
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(jsonb_object_agg(lower(o.name), lower(o.value)), '{}')
  FROM catalog.variant_option o WHERE o.merchant_id = p_merchant_id AND o.variant_id = p_variant_id
$$;

-- Two variants of a product that are for sale differ in an option, or shoppers could not tell them apart. Looked at when
-- options are written, after all of a statement: a variant comes before its options. The product's lock makes two that come
-- at the same time one after the other.
CREATE FUNCTION catalog.check_variant_options() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_product_id uuid;
BEGIN
  SELECT v.product_id INTO v_product_id FROM catalog.product_variant v
  WHERE v.merchant_id = NEW.merchant_id AND v.id = NEW.variant_id AND v.deleted_at IS NULL;
  PERFORM FROM catalog.product p WHERE p.merchant_id = NEW.merchant_id AND p.id = v_product_id FOR NO KEY UPDATE;
  IF EXISTS (
    SELECT FROM catalog.product_variant v
    WHERE v.merchant_id = NEW.merchant_id AND v.product_id = v_product_id AND v.deleted_at IS NULL AND v.id <> NEW.variant_id
      AND catalog.options_of(NEW.merchant_id, v.id) = catalog.options_of(NEW.merchant_id, NEW.variant_id)
  ) THEN
    PERFORM platform.violate('catalog.product_variant', 'product_variant_options_key');
  END IF;
  RETURN NULL;
END
$$;
CREATE TRIGGER product_variant_options_key AFTER INSERT OR UPDATE ON catalog.variant_option
  FOR EACH ROW EXECUTE FUNCTION catalog.check_variant_options();

-- Of several variants of a product that are for sale each has an option; one alone needs none. Deferred: a variant comes before
-- its options.
CREATE FUNCTION catalog.check_variants_have_options() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_changed jsonb := to_jsonb(coalesce(NEW, OLD));
  v_merchant_id uuid := v_changed ->> 'merchant_id';
  v_product_id uuid;
BEGIN
  SELECT v.product_id INTO v_product_id FROM catalog.product_variant v
  WHERE v.merchant_id = v_merchant_id AND v.id = coalesce(v_changed ->> 'variant_id', v_changed ->> 'id')::uuid
    AND v.deleted_at IS NULL;
  PERFORM FROM catalog.product p WHERE p.merchant_id = v_merchant_id AND p.id = v_product_id FOR NO KEY UPDATE;
  IF (
    SELECT count(*) > 1 AND bool_or(NOT EXISTS (
      SELECT FROM catalog.variant_option o WHERE o.merchant_id = v.merchant_id AND o.variant_id = v.id
    ))
    FROM catalog.product_variant v
    WHERE v.merchant_id = v_merchant_id AND v.product_id = v_product_id AND v.deleted_at IS NULL
  ) THEN
    PERFORM platform.violate('catalog.product_variant', 'product_variant_options_needed');
  END IF;
  RETURN NULL;
END
$$;
CREATE CONSTRAINT TRIGGER product_variant_options_needed AFTER INSERT OR UPDATE OF product_id, deleted_at ON catalog.product_variant
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION catalog.check_variants_have_options();
CREATE CONSTRAINT TRIGGER product_variant_options_needed AFTER DELETE ON catalog.variant_option
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION catalog.check_variants_have_options();

CREATE TABLE catalog.category (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  parent_id uuid,
  name text NOT NULL CHECK (name <> ''),
  slug text NOT NULL,
  description text,
  image_url text CHECK (image_url ~ '^https?://'),
  image_alt text,
  -- 0 for a root; kept by trigger.
  level integer NOT NULL DEFAULT 0,
  position integer NOT NULL DEFAULT 0,
  seo_title text,
  seo_description text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT category_slug_key UNIQUE (merchant_id, slug),
  CONSTRAINT category_parent_fkey FOREIGN KEY (merchant_id, parent_id) REFERENCES catalog.category
);
CREATE INDEX category_parent ON catalog.category (merchant_id, parent_id, position, id);
CREATE INDEX category_name ON catalog.category (merchant_id, name, id);
CREATE TRIGGER fill_slug BEFORE INSERT OR UPDATE OF slug ON catalog.category
  FOR EACH ROW EXECUTE FUNCTION platform.fill_slug();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON catalog.category
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- A category can't be its own ancestor, and the tree has at most 10 levels: every walk over it is bounded. The
-- messages are worded as Postgres words them, because Hasura passes on nothing but the message.
CREATE FUNCTION catalog.set_category_level() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  parent_level integer;
BEGIN
  IF NEW.parent_id IS NULL THEN
    NEW.level := 0;
    RETURN NEW;
  END IF;
  IF EXISTS (
    WITH RECURSIVE ancestor AS (
      SELECT c.id, c.parent_id, 1 AS depth FROM catalog.category c WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.parent_id
      UNION ALL
      SELECT c.id, c.parent_id, a.depth + 1 FROM catalog.category c JOIN ancestor a ON c.merchant_id = NEW.merchant_id AND c.id = a.parent_id
      WHERE a.depth < 20
    )
    SELECT FROM ancestor WHERE id = NEW.id
  ) THEN
    PERFORM platform.violate('catalog.category', 'category_no_cycle', 'a category cannot be its own ancestor');
  END IF;
  SELECT c.level INTO parent_level FROM catalog.category c WHERE c.merchant_id = NEW.merchant_id AND c.id = NEW.parent_id;
  NEW.level := coalesce(parent_level, 0) + 1;
  IF NEW.level > 9 THEN
    PERFORM platform.violate('catalog.category', 'category_depth', 'categories nest at most 10 levels deep');
  END IF;
  RETURN NEW;
END
$$;
CREATE TRIGGER set_level BEFORE INSERT OR UPDATE OF parent_id, level ON catalog.category
  FOR EACH ROW EXECUTE FUNCTION catalog.set_category_level();

-- A moved category takes its subtree along, a level at a time.
CREATE FUNCTION catalog.move_subcategories() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE catalog.category SET level = NEW.level + 1 WHERE merchant_id = NEW.merchant_id AND parent_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER move_subcategories AFTER UPDATE OF parent_id, level ON catalog.category
  FOR EACH ROW WHEN (NEW.level <> OLD.level) EXECUTE FUNCTION catalog.move_subcategories();

CREATE TABLE catalog.product_category (
  merchant_id uuid NOT NULL,
  product_id uuid NOT NULL,
  category_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, product_id, category_id),
  CONSTRAINT product_category_product_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE,
  CONSTRAINT product_category_category_fkey FOREIGN KEY (merchant_id, category_id) REFERENCES catalog.category ON DELETE CASCADE
);

CREATE TABLE catalog.review (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  customer_id uuid,
  author_name text NOT NULL CHECK (author_name <> ''),
  rating integer NOT NULL CHECK (rating BETWEEN 1 AND 5),
  title text,
  body text,
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'APPROVED', 'REJECTED')),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE SET NULL (customer_id)
);
CREATE INDEX review_product ON catalog.review (merchant_id, product_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON catalog.review
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();
