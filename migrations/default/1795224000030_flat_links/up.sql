-- Lists over a link table that cost the same on every page: the link says itself when what it leads to was created, so that a
-- page is read from one index, however long the list is.

ALTER TABLE catalog.product_category ADD COLUMN created_at timestamptz;
UPDATE catalog.product_category l SET created_at = p.created_at
FROM catalog.product p WHERE p.merchant_id = l.merchant_id AND p.id = l.product_id;
ALTER TABLE catalog.product_category ALTER COLUMN created_at SET NOT NULL;
CREATE INDEX product_category_created_at ON catalog.product_category (merchant_id, category_id, created_at, product_id);

CREATE FUNCTION catalog.date_link() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  SELECT p.created_at INTO NEW.created_at FROM catalog.product p WHERE p.merchant_id = NEW.merchant_id AND p.id = NEW.product_id;
  -- No product: the foreign key says so, in words that clients know.
  NEW.created_at := coalesce(NEW.created_at, now());
  RETURN NEW;
END
$$;
CREATE TRIGGER date_link BEFORE INSERT ON catalog.product_category FOR EACH ROW EXECUTE FUNCTION catalog.date_link();

CREATE FUNCTION catalog.date_links() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  UPDATE catalog.product_category l SET created_at = NEW.created_at
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
