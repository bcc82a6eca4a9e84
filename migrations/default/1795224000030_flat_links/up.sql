-- Lists over a link table that cost the same on every page: the link says itself when what it leads to was created, so that a
-- page is read from one index, however long the list is.

-- The products of a category and of all categories below it, once each: what a category's list and count read, and filters by
-- category. Kept by the links of products to categories and by the tree. The date is the product's.
CREATE TABLE catalog.category_product (
  merchant_id uuid NOT NULL,
  category_id uuid NOT NULL,
  product_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, category_id, product_id),
  CONSTRAINT category_product_product_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE,
  CONSTRAINT category_product_category_fkey FOREIGN KEY (merchant_id, category_id) REFERENCES catalog.category ON DELETE CASCADE
);
CREATE INDEX category_product_created_at ON catalog.category_product (merchant_id, category_id, created_at, product_id);
CREATE INDEX category_product_product ON catalog.category_product (merchant_id, product_id);
CREATE INDEX product_category_category ON catalog.product_category (merchant_id, category_id);

-- A category and those that it is in, up to the root.
CREATE FUNCTION catalog.category_path(p_merchant_id uuid, p_category_id uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE ROWS 3
AS $$
  WITH RECURSIVE path AS (
    SELECT c.id, c.parent_id FROM catalog.category c WHERE c.merchant_id = p_merchant_id AND c.id = p_category_id
    UNION
    SELECT c.id, c.parent_id FROM catalog.category c JOIN path p ON c.merchant_id = p_merchant_id AND c.id = p.parent_id
  )
  SELECT id FROM path
$$;

-- A category and all that are in it.
CREATE FUNCTION catalog.category_subtree(p_merchant_id uuid, p_category_id uuid) RETURNS SETOF uuid
LANGUAGE sql STABLE ROWS 10
AS $$
  WITH RECURSIVE subtree AS (
    SELECT p_category_id AS id
    UNION
    SELECT c.id FROM catalog.category c JOIN subtree s ON c.merchant_id = p_merchant_id AND c.parent_id = s.id
  )
  SELECT id FROM subtree
$$;

-- The lock of a merchant's tree: who moves a category holds it alone, who links products shares it, so neither counts by a tree that the
-- other changes.
CREATE FUNCTION catalog.tree_lock(p_merchant_id uuid) RETURNS bigint
LANGUAGE sql IMMUTABLE
AS $$
  SELECT hashtextextended('catalog.category ' || p_merchant_id, 0)
$$;

CREATE FUNCTION catalog.list_products() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(catalog.tree_lock(m.merchant_id))
  FROM (SELECT DISTINCT c.merchant_id FROM changed c ORDER BY c.merchant_id) m;
  -- Of two that link and unlink one product, the second sees what the first did.
  PERFORM FROM catalog.product p JOIN changed c ON p.merchant_id = c.merchant_id AND p.id = c.product_id
  ORDER BY p.merchant_id, p.id FOR NO KEY UPDATE OF p;
  INSERT INTO catalog.category_product (merchant_id, category_id, product_id, created_at)
  SELECT DISTINCT p.merchant_id, a.id, p.id, p.created_at
  FROM changed c
  JOIN catalog.product p ON p.merchant_id = c.merchant_id AND p.id = c.product_id
  CROSS JOIN LATERAL catalog.category_path(c.merchant_id, c.category_id) AS a(id)
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER list_products AFTER INSERT ON catalog.product_category
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION catalog.list_products();

CREATE FUNCTION catalog.unlist_products() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(catalog.tree_lock(m.merchant_id))
  FROM (SELECT DISTINCT c.merchant_id FROM changed c ORDER BY c.merchant_id) m;
  PERFORM FROM catalog.product p JOIN changed c ON p.merchant_id = c.merchant_id AND p.id = c.product_id
  ORDER BY p.merchant_id, p.id FOR NO KEY UPDATE OF p;
  DELETE FROM catalog.category_product x
  USING changed c CROSS JOIN LATERAL catalog.category_path(c.merchant_id, c.category_id) AS a(id)
  WHERE x.merchant_id = c.merchant_id AND x.category_id = a.id AND x.product_id = c.product_id
    AND NOT EXISTS (
      SELECT FROM catalog.product_category l
      WHERE l.merchant_id = c.merchant_id AND l.product_id = c.product_id
        AND l.category_id IN (SELECT catalog.category_subtree(c.merchant_id, a.id))
    );
  RETURN NULL;
END
$$;
CREATE TRIGGER unlist_products AFTER DELETE ON catalog.product_category
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION catalog.unlist_products();

-- A category that goes takes its links along before it goes: those above it are found from it.
CREATE FUNCTION catalog.unlink_category() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM catalog.product_category l WHERE l.merchant_id = OLD.merchant_id AND l.category_id = OLD.id;
  RETURN OLD;
END
$$;
CREATE TRIGGER unlink_category BEFORE DELETE ON catalog.category
  FOR EACH ROW EXECUTE FUNCTION catalog.unlink_category();

-- A category that moves takes its products from where it was to where it is.
CREATE FUNCTION catalog.move_products() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(catalog.tree_lock(NEW.merchant_id));
  DELETE FROM catalog.category_product x
  USING catalog.category_path(OLD.merchant_id, OLD.parent_id) AS a(id), catalog.category_product moved
  WHERE moved.merchant_id = NEW.merchant_id AND moved.category_id = NEW.id
    AND x.merchant_id = moved.merchant_id AND x.category_id = a.id AND x.product_id = moved.product_id
    AND NOT EXISTS (
      SELECT FROM catalog.product_category l
      WHERE l.merchant_id = x.merchant_id AND l.product_id = x.product_id
        AND l.category_id IN (SELECT catalog.category_subtree(x.merchant_id, a.id))
    );
  INSERT INTO catalog.category_product (merchant_id, category_id, product_id, created_at)
  SELECT moved.merchant_id, a.id, moved.product_id, moved.created_at
  FROM catalog.category_path(NEW.merchant_id, NEW.parent_id) AS a(id), catalog.category_product moved
  WHERE moved.merchant_id = NEW.merchant_id AND moved.category_id = NEW.id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER move_products AFTER UPDATE OF parent_id ON catalog.category
  FOR EACH ROW WHEN (NEW.parent_id IS DISTINCT FROM OLD.parent_id) EXECUTE FUNCTION catalog.move_products();

CREATE FUNCTION catalog.date_links() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE catalog.category_product l SET created_at = NEW.created_at
  WHERE l.merchant_id = NEW.merchant_id AND l.product_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER date_links AFTER UPDATE OF created_at ON catalog.product
  FOR EACH ROW WHEN (NEW.created_at <> OLD.created_at) EXECUTE FUNCTION catalog.date_links();

-- Which orders hold a product, once each: Product.orders and Product.recentOrders. Kept by the orders' lines.
CREATE TABLE ordering.product_order (
  merchant_id uuid NOT NULL,
  product_id uuid NOT NULL,
  order_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, product_id, order_id),
  CONSTRAINT product_order_product_fkey FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE,
  CONSTRAINT product_order_order_fkey FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order ON DELETE CASCADE
);
CREATE INDEX product_order_created_at ON ordering.product_order (merchant_id, product_id, created_at, order_id);
CREATE INDEX product_order_order ON ordering.product_order (merchant_id, order_id);
INSERT INTO ordering.product_order (merchant_id, product_id, order_id, created_at)
SELECT DISTINCT i.merchant_id, i.product_id, i.order_id, o.created_at
FROM ordering.order_item i
JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id;

CREATE FUNCTION ordering.link_products() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO ordering.product_order (merchant_id, product_id, order_id, created_at)
  SELECT DISTINCT i.merchant_id, i.product_id, i.order_id, o.created_at
  FROM changed i
  JOIN ordering.order o ON o.merchant_id = i.merchant_id AND o.id = i.order_id
  ON CONFLICT DO NOTHING;
  RETURN NULL;
END
$$;
CREATE TRIGGER link_products AFTER INSERT ON ordering.order_item
  REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION ordering.link_products();

CREATE FUNCTION ordering.unlink_products() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  DELETE FROM ordering.product_order l
  USING changed c
  WHERE l.merchant_id = c.merchant_id AND l.product_id = c.product_id AND l.order_id = c.order_id
    AND NOT EXISTS (
      SELECT FROM ordering.order_item i
      WHERE i.merchant_id = c.merchant_id AND i.order_id = c.order_id AND i.product_id = c.product_id
    );
  RETURN NULL;
END
$$;
CREATE TRIGGER unlink_products AFTER DELETE ON ordering.order_item
  REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION ordering.unlink_products();

CREATE FUNCTION ordering.date_links() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE ordering.product_order l SET created_at = NEW.created_at
  WHERE l.merchant_id = NEW.merchant_id AND l.order_id = NEW.id;
  RETURN NULL;
END
$$;
CREATE TRIGGER date_links AFTER UPDATE OF created_at ON ordering.order
  FOR EACH ROW WHEN (NEW.created_at <> OLD.created_at) EXECUTE FUNCTION ordering.date_links();
