-- Orders: what was bought, at which price, and where it is. Lines are snapshots and never follow the catalog.

CREATE SCHEMA ordering;

-- The next order number of a merchant. Taken last in a transaction, so that its row lock is held shortly.
CREATE TABLE ordering.order_number_counter (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant ON DELETE CASCADE,
  last_number bigint NOT NULL DEFAULT 1000
);

CREATE TABLE ordering.order (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_number text NOT NULL,
  customer_id uuid NOT NULL,
  -- The transitions are the state machine's (actions/src/ordering/SPEC.md).
  status text NOT NULL DEFAULT 'PENDING'
    CHECK (status IN ('PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED')),
  currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
  subtotal bigint NOT NULL CHECK (subtotal >= 0 AND subtotal < 9007199254740992),
  tax bigint NOT NULL CHECK (tax >= 0),
  shipping bigint NOT NULL CHECK (shipping >= 0),
  discount bigint NOT NULL CHECK (discount >= 0 AND discount <= subtotal + shipping),
  total bigint NOT NULL CHECK (total < 9007199254740992),
  shipping_address_id uuid NOT NULL,
  billing_address_id uuid,
  shipping_method_id uuid,
  promotion_id uuid,
  coupon_code text,
  -- A cart becomes an order at most once, whatever is retried.
  cart_id uuid,
  notes text,
  tags text[] NOT NULL DEFAULT '{}',
  cancel_reason text,
  cancelled_at timestamptz,
  -- Cancelled because nobody paid it in time.
  lapsed boolean NOT NULL DEFAULT false,
  -- The end of the payment window that its customer was reminded of.
  reminded_of timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT order_number_key UNIQUE (merchant_id, order_number),
  CONSTRAINT order_cart_key UNIQUE (merchant_id, cart_id),
  CONSTRAINT order_total_adds_up CHECK (total = subtotal + tax + shipping - discount),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer,
  FOREIGN KEY (merchant_id, cart_id) REFERENCES cart.cart,
  FOREIGN KEY (merchant_id, shipping_method_id) REFERENCES merchant.shipping_method,
  FOREIGN KEY (merchant_id, promotion_id) REFERENCES promotion.promotion
);
CREATE INDEX order_created_at ON ordering.order (merchant_id, created_at, id);
CREATE INDEX order_status_created_at ON ordering.order (merchant_id, status, created_at, id);
CREATE INDEX order_updated_at ON ordering.order (merchant_id, updated_at, id);
CREATE INDEX order_total ON ordering.order (merchant_id, total, id);
CREATE INDEX order_customer ON ordering.order (merchant_id, customer_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON ordering.order
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- The addresses as they were when the order was placed.
CREATE TABLE ordering.order_address (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  line1 text NOT NULL CHECK (line1 <> ''),
  line2 text,
  city text NOT NULL CHECK (city <> ''),
  state text NOT NULL,
  postal_code text NOT NULL,
  country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  phone text,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX order_address_order ON ordering.order_address (merchant_id, order_id);
ALTER TABLE ordering.order
  ADD FOREIGN KEY (merchant_id, shipping_address_id) REFERENCES ordering.order_address DEFERRABLE INITIALLY DEFERRED,
  ADD FOREIGN KEY (merchant_id, billing_address_id) REFERENCES ordering.order_address DEFERRABLE INITIALLY DEFERRED;

CREATE TABLE ordering.order_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  position integer NOT NULL,
  product_id uuid NOT NULL,
  variant_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  -- Snapshots from here on.
  price bigint NOT NULL CHECK (price >= 0),
  subtotal bigint NOT NULL,
  sku text NOT NULL,
  product_name text NOT NULL,
  product_image text,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT order_item_line_key UNIQUE NULLS NOT DISTINCT (merchant_id, order_id, product_id, variant_id),
  CONSTRAINT order_item_subtotal_adds_up CHECK (subtotal = price * quantity),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product,
  FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id)
);
CREATE INDEX order_item_product ON ordering.order_item (merchant_id, product_id, order_id);

CREATE TABLE ordering.fulfillment (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'UNFULFILLED'
    CHECK (status IN ('UNFULFILLED', 'PARTIAL', 'FULFILLED', 'SHIPPED', 'DELIVERED', 'RETURNED')),
  tracking_number text,
  carrier text,
  shipped_at timestamptz,
  estimated_delivery_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT fulfillment_order_key UNIQUE (merchant_id, order_id),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order ON DELETE CASCADE
);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON ordering.fulfillment
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();
