-- Carts. Prices and availability are read live; an order is what fixes them.

CREATE SCHEMA cart;

CREATE TABLE cart.cart (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- NULL: a guest's.
  customer_id uuid,
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- Set once: a cart becomes an order at most once.
  checked_out_at timestamptz,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '30 days',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer ON DELETE CASCADE
);
CREATE INDEX cart_customer ON cart.cart (merchant_id, customer_id, created_at, id);
CREATE INDEX cart_created_at ON cart.cart (merchant_id, created_at, id);
CREATE INDEX cart_expiry ON cart.cart (expires_at) WHERE checked_out_at IS NULL;
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON cart.cart
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE cart.cart_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  cart_id uuid NOT NULL,
  product_id uuid NOT NULL,
  variant_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT cart_item_line_key UNIQUE NULLS NOT DISTINCT (merchant_id, cart_id, product_id, variant_id),
  FOREIGN KEY (merchant_id, cart_id) REFERENCES cart.cart ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product,
  FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id)
);

-- Cart lines with what only the moment knows: the price, and whether there is enough.
CREATE VIEW cart.priced_cart_item AS
SELECT
  l.merchant_id,
  l.id,
  l.cart_id,
  l.product_id,
  l.variant_id,
  l.quantity,
  l.created_at,
  coalesce(v.price, p.price) AS price,
  platform.as_money(coalesce(v.price, p.price)::numeric * l.quantity) AS subtotal,
  p.status = 'ACTIVE' AND p.deleted_at IS NULL AND v.deleted_at IS NULL AND coalesce(s.available, 0) >= l.quantity AS available,
  coalesce(s.available, 0) AS max_quantity
FROM cart.cart_item l
JOIN catalog.product p ON p.merchant_id = l.merchant_id AND p.id = l.product_id
LEFT JOIN catalog.product_variant v ON v.merchant_id = l.merchant_id AND v.id = l.variant_id
LEFT JOIN LATERAL (
  SELECT i.available FROM inventory.sku_inventory i
  WHERE i.merchant_id = l.merchant_id AND i.product_id = l.product_id AND i.variant_id IS NOT DISTINCT FROM l.variant_id
) s ON true;
