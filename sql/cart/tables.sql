CREATE SCHEMA cart;

CREATE TABLE cart.cart (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  -- NULL: a guest's.
  customer_id uuid,
  -- SHA-256 of the secret by which a guest has the cart; it counts only while the cart is a guest's.
  secret_hash bytea CHECK (octet_length(secret_hash) = 32),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  -- Set once: a cart becomes an order at most once.
  checked_out_at timestamptz,
  expires_at timestamptz NOT NULL DEFAULT now() + INTERVAL '30 days',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  promotion_id uuid,
  coupon_code citext,
  shipping_method_id uuid,
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  -- When it had lain with items for an hour; NULL again once it changes.
  abandoned_at timestamptz,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE CASCADE,
  CONSTRAINT cart_promotion_fkey
    FOREIGN KEY (merchant_id, promotion_id) REFERENCES promotion.promotion
      ON DELETE SET NULL (promotion_id),
  CONSTRAINT cart_shipping_method_fkey
    FOREIGN KEY (merchant_id, shipping_method_id) REFERENCES merchant.shipping_method
      ON DELETE SET NULL (shipping_method_id)
);
CREATE UNIQUE INDEX cart_external_id_key ON cart.cart (merchant_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX cart_metadata ON cart.cart USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);
CREATE INDEX cart_customer ON cart.cart (merchant_id, customer_id, created_at, id);
CREATE INDEX cart_created_at ON cart.cart (merchant_id, created_at, id);
CREATE UNIQUE INDEX cart_secret ON cart.cart (merchant_id, secret_hash) WHERE secret_hash IS NOT NULL;
CREATE INDEX cart_idle ON cart.cart (updated_at) WHERE checked_out_at IS NULL AND abandoned_at IS NULL;
CREATE INDEX cart_expiry ON cart.cart (expires_at) WHERE checked_out_at IS NULL;

CREATE TABLE cart.cart_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  cart_id uuid NOT NULL,
  product_id uuid NOT NULL,
  variant_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  created_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  -- What a shopper or the merchant wants of this line alone, as names and values: an engraving.
  properties jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(properties) = 'array'),
  -- What tells lines of one product apart: catalog.line_key of its properties.
  line_key text NOT NULL DEFAULT '',
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT cart_item_line_key UNIQUE NULLS NOT DISTINCT (merchant_id, cart_id, product_id, variant_id, line_key),
  /* sql-parser-cst-enable */
  FOREIGN KEY (merchant_id, cart_id) REFERENCES cart.cart
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product,
  FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id)
);
CREATE UNIQUE INDEX cart_item_external_id_key ON cart.cart_item (merchant_id, external_id)
WHERE external_id IS NOT NULL;
CREATE INDEX cart_promotion ON cart.cart (merchant_id, promotion_id) WHERE promotion_id IS NOT NULL;

CREATE TABLE cart.cart_address (
  merchant_id uuid NOT NULL,
  cart_id uuid NOT NULL,
  line1 text NOT NULL CHECK (line1 <> ''),
  line2 text,
  city text NOT NULL CHECK (city <> ''),
  state text NOT NULL,
  postal_code text NOT NULL,
  country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  -- For whom it is, where that isn't the customer: a gift's recipient, a company's desk.
  recipient_name text CHECK (recipient_name <> ''),
  company text CHECK (company <> ''),
  phone text,
  PRIMARY KEY (merchant_id, cart_id),
  FOREIGN KEY (merchant_id, cart_id) REFERENCES cart.cart
    ON DELETE CASCADE
);
CREATE INDEX cart_shipping_method ON cart.cart (merchant_id, shipping_method_id) WHERE shipping_method_id IS NOT NULL;
CREATE INDEX cart_updated_at ON cart.cart (merchant_id, updated_at, id);
