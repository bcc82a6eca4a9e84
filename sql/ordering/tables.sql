CREATE SCHEMA ordering;

CREATE TABLE ordering.order_number_counter (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  last_number bigint NOT NULL DEFAULT 1000
);

CREATE TABLE ordering.order (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_number text NOT NULL,
  customer_id uuid NOT NULL,
  -- The transitions are the state machine's (actions/src/ordering/SPEC.md).
  status text NOT NULL DEFAULT 'PENDING' CHECK (
    status IN ('PENDING', 'CONFIRMED', 'PROCESSING', 'SHIPPED', 'DELIVERED', 'CANCELLED', 'REFUNDED')
  ),
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
  -- Cancelled because it was not paid in time.
  lapsed boolean NOT NULL DEFAULT FALSE,
  -- The end of the payment window that its customer was reminded of.
  reminded_of timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  promotion_name text,
  shipping_discount bigint NOT NULL DEFAULT 0,
  uncaptured bigint NOT NULL DEFAULT 0,
  uncaptured_shipping bigint NOT NULL DEFAULT 0,
  paid_at timestamptz,
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  -- Since when it is here, of an order from another system.
  imported_at timestamptz,
  -- The number of an order that was placed here. Those grow; numbers of other systems don't.
  number_here text GENERATED ALWAYS AS (
    CASE
      WHEN imported_at IS NULL THEN order_number
    END
  ) STORED,
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT order_number_key UNIQUE (merchant_id, order_number),
  CONSTRAINT order_cart_key UNIQUE (merchant_id, cart_id),
  CONSTRAINT order_total_adds_up CHECK (total = subtotal + tax + shipping - discount),
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer,
  FOREIGN KEY (merchant_id, cart_id) REFERENCES cart.cart,
  FOREIGN KEY (merchant_id, shipping_method_id) REFERENCES merchant.shipping_method,
  FOREIGN KEY (merchant_id, promotion_id) REFERENCES promotion.promotion,
  CONSTRAINT order_shipping_discount_check
    CHECK (shipping_discount >= 0 AND shipping_discount <= shipping AND shipping_discount <= discount),
  CONSTRAINT order_uncaptured_check
    CHECK (
      uncaptured_shipping >= 0
      AND uncaptured_shipping <= uncaptured
      AND uncaptured_shipping <= shipping - shipping_discount
      AND uncaptured <= total
    )
);
CREATE UNIQUE INDEX order_external_id_key ON ordering.order (merchant_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX order_metadata ON ordering.order USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);
CREATE INDEX order_number_here ON ordering.order (merchant_id, number_here) WHERE number_here IS NOT NULL;
CREATE INDEX order_created_at ON ordering.order (merchant_id, created_at, id);
CREATE INDEX order_status_created_at ON ordering.order (merchant_id, status, created_at, id);
CREATE INDEX order_updated_at ON ordering.order (merchant_id, updated_at, id);
CREATE INDEX order_total ON ordering.order (merchant_id, total, id);
CREATE INDEX order_customer ON ordering.order (merchant_id, customer_id, created_at, id);

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
  -- For whom it is, where that isn't the customer: a gift's recipient, a company's desk.
  recipient_name text CHECK (recipient_name <> ''),
  company text CHECK (company <> ''),
  phone text,
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
    ON DELETE CASCADE
    DEFERRABLE INITIALLY DEFERRED
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
  discount bigint NOT NULL DEFAULT 0,
  tax bigint NOT NULL DEFAULT 0,
  -- In a shipment, from being packed on.
  packed_quantity integer NOT NULL DEFAULT 0,
  -- Those of them that have left.
  fulfilled_quantity integer NOT NULL DEFAULT 0,
  -- Will never be sent, because they were refunded before.
  cancelled_quantity integer NOT NULL DEFAULT 0,
  -- Refunded, sent or not.
  refunded_quantity integer NOT NULL DEFAULT 0,
  -- In returns that were neither rejected nor withdrawn.
  returning_quantity integer NOT NULL DEFAULT 0,
  -- Those of them that have come back.
  returned_quantity integer NOT NULL DEFAULT 0,
  uncaptured bigint NOT NULL DEFAULT 0,
  uncaptured_tax bigint NOT NULL DEFAULT 0,
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  -- The number of lines of the same thing before it, as orders of other systems have them.
  occurrence integer NOT NULL DEFAULT 0 CHECK (occurrence >= 0),
  -- What a shopper or the merchant wants of this line alone, as names and values: an engraving.
  properties jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(properties) = 'array'),
  -- What tells lines of one product apart: catalog.line_key of its properties.
  line_key text NOT NULL DEFAULT '',
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT order_item_line_key
    UNIQUE NULLS NOT DISTINCT (merchant_id, order_id, product_id, variant_id, line_key, occurrence),
  /* sql-parser-cst-enable */
  CONSTRAINT order_item_subtotal_adds_up CHECK (subtotal = price * quantity),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product,
  FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id),
  CONSTRAINT order_item_discount_check CHECK (discount >= 0 AND discount <= subtotal),
  CONSTRAINT order_item_tax_check CHECK (tax >= 0),
  CONSTRAINT order_item_sent_once
    CHECK (
      fulfilled_quantity >= 0
      AND fulfilled_quantity <= packed_quantity
      AND cancelled_quantity >= 0
      AND packed_quantity + cancelled_quantity <= quantity
    ),
  CONSTRAINT order_item_refunded_once
    CHECK (cancelled_quantity <= refunded_quantity AND refunded_quantity - cancelled_quantity <= fulfilled_quantity),
  CONSTRAINT order_item_returned_once
    CHECK (
      returned_quantity >= 0
      AND returned_quantity <= returning_quantity
      AND returning_quantity <= fulfilled_quantity
    ),
  CONSTRAINT order_item_uncaptured_check
    CHECK (uncaptured >= 0 AND uncaptured <= subtotal - discount AND uncaptured_tax >= 0 AND uncaptured_tax <= tax)
);
CREATE UNIQUE INDEX order_item_external_id_key ON ordering.order_item (merchant_id, external_id)
WHERE external_id IS NOT NULL;
CREATE INDEX order_item_product ON ordering.order_item (merchant_id, product_id, order_id);

CREATE TABLE ordering.fulfillment (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'UNFULFILLED' CHECK (
    status IN ('UNFULFILLED', 'PARTIAL', 'FULFILLED', 'SHIPPED', 'DELIVERED', 'RETURNED')
  ),
  tracking_number text,
  carrier text,
  shipped_at timestamptz,
  estimated_delivery_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT fulfillment_order_key UNIQUE (merchant_id, order_id),
  FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
    ON DELETE CASCADE
);
CREATE INDEX order_promotion ON ordering.order (merchant_id, promotion_id, created_at, id)
WHERE promotion_id IS NOT NULL;

CREATE TABLE ordering.history_entry (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  type text NOT NULL CHECK (
    type IN (
      'PLACED',
      'MODIFIED',
      'STATUS_CHANGED',
      'NOTES_CHANGED',
      'TAGS_CHANGED',
      'NOTE_ADDED',
      'SHIPMENT_PACKED',
      'SHIPMENT_SHIPPED',
      'SHIPMENT_DELIVERED',
      'SHIPMENT_CANCELLED',
      'SHIPMENT_CHANGED',
      'PAYMENT_STARTED',
      'PAYMENT_AUTHORIZED',
      'PAYMENT_SUCCEEDED',
      'PAYMENT_FAILED',
      'PAYMENT_CANCELLED',
      'REFUND_STARTED',
      'REFUND_SUCCEEDED',
      'REFUND_FAILED',
      'RETURN_REQUESTED',
      'RETURN_APPROVED',
      'RETURN_REJECTED',
      'RETURN_RECEIVED',
      'RETURN_REFUNDED',
      'RETURN_CANCELLED'
    )
  ),
  from_status text,
  to_status text,
  amount bigint,
  note text,
  -- The shipment, payment, refund or return.
  subject_id uuid,
  -- Not for the customer's eyes.
  staff_only boolean NOT NULL DEFAULT FALSE,
  actor text NOT NULL CHECK (actor IN ('MERCHANT', 'CUSTOMER', 'SYSTEM')),
  actor_id uuid,
  -- Of several in one transaction each is later than the one before.
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT history_entry_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE
);
CREATE INDEX history_entry_order ON ordering.history_entry (merchant_id, order_id, created_at, id);

CREATE TABLE ordering.shipment (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  order_id uuid NOT NULL,
  -- The transitions are the state machine's (actions/src/ordering/SPEC.md).
  status text NOT NULL DEFAULT 'PACKED' CHECK (status IN ('PACKED', 'SHIPPED', 'DELIVERED', 'CANCELLED')),
  carrier text,
  tracking_number text,
  shipped_at timestamptz,
  estimated_delivery_at timestamptz,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT shipment_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE
);
CREATE INDEX shipment_order ON ordering.shipment (merchant_id, order_id, created_at, id);

CREATE TABLE ordering.shipment_line (
  merchant_id uuid NOT NULL,
  shipment_id uuid NOT NULL,
  order_item_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  PRIMARY KEY (merchant_id, shipment_id, order_item_id),
  CONSTRAINT shipment_line_shipment_fkey
    FOREIGN KEY (merchant_id, shipment_id) REFERENCES ordering.shipment
      ON DELETE CASCADE,
  CONSTRAINT shipment_line_item_fkey
    FOREIGN KEY (merchant_id, order_item_id) REFERENCES ordering.order_item
      ON DELETE CASCADE
);
CREATE INDEX shipment_line_item ON ordering.shipment_line (merchant_id, order_item_id);

CREATE TABLE ordering.return_number_counter (
  merchant_id uuid PRIMARY KEY REFERENCES merchant.merchant
    ON DELETE CASCADE,
  last_number bigint NOT NULL DEFAULT 1000
);

CREATE TABLE ordering.order_return (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  return_number text NOT NULL,
  order_id uuid NOT NULL,
  -- The transitions are the state machine's (actions/src/ordering/SPEC.md).
  status text NOT NULL DEFAULT 'REQUESTED' CHECK (
    status IN ('REQUESTED', 'APPROVED', 'REJECTED', 'RECEIVED', 'REFUNDED', 'CANCELLED')
  ),
  note text,
  rejection_reason text,
  refund_id uuid,
  received_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT order_return_number_key UNIQUE (merchant_id, return_number),
  CONSTRAINT order_return_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE,
  CONSTRAINT order_return_refund_fkey FOREIGN KEY (merchant_id, refund_id) REFERENCES payment.refund
);
CREATE INDEX order_return_order ON ordering.order_return (merchant_id, order_id, created_at, id);
CREATE INDEX order_return_created_at ON ordering.order_return (merchant_id, created_at, id);
CREATE INDEX order_return_refund ON ordering.order_return (merchant_id, refund_id) WHERE refund_id IS NOT NULL;

CREATE TABLE ordering.return_line (
  merchant_id uuid NOT NULL,
  return_id uuid NOT NULL,
  order_item_id uuid NOT NULL,
  position integer NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  reason text NOT NULL CHECK (
    reason IN ('DAMAGED', 'WRONG_ITEM', 'NOT_AS_DESCRIBED', 'DOES_NOT_FIT', 'CHANGED_MIND', 'OTHER')
  ),
  -- Of the units, those that are for sale again.
  restocked_quantity integer NOT NULL DEFAULT 0 CHECK (restocked_quantity BETWEEN 0 AND quantity),
  PRIMARY KEY (merchant_id, return_id, order_item_id),
  CONSTRAINT return_line_return_fkey
    FOREIGN KEY (merchant_id, return_id) REFERENCES ordering.order_return
      ON DELETE CASCADE,
  CONSTRAINT return_line_item_fkey
    FOREIGN KEY (merchant_id, order_item_id) REFERENCES ordering.order_item
      ON DELETE CASCADE
);
CREATE INDEX return_line_item ON ordering.return_line (merchant_id, order_item_id);

CREATE TABLE ordering.draft_order (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  customer_id uuid,
  shipping_method_id uuid,
  coupon_code citext,
  line1 text,
  line2 text,
  city text,
  state text,
  postal_code text,
  country text CHECK (country ~ '^[A-Z]{2}$'),
  -- For whom it is, where that isn't the customer: a gift's recipient, a company's desk.
  recipient_name text CHECK (recipient_name <> ''),
  company text CHECK (company <> ''),
  phone text,
  notes text,
  tags text[] NOT NULL DEFAULT '{}',
  -- Set once: a draft becomes an order at most once.
  order_id uuid,
  expires_at timestamptz NOT NULL DEFAULT now() + INTERVAL '30 days',
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT draft_order_order_key UNIQUE (merchant_id, order_id),
  CONSTRAINT draft_order_customer_fkey
    FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
      ON DELETE SET NULL (customer_id),
  CONSTRAINT draft_order_shipping_method_fkey
    FOREIGN KEY (merchant_id, shipping_method_id) REFERENCES merchant.shipping_method
      ON DELETE SET NULL (shipping_method_id),
  CONSTRAINT draft_order_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE SET NULL (order_id)
);
CREATE INDEX draft_order_created_at ON ordering.draft_order (merchant_id, created_at, id);
CREATE INDEX draft_order_customer ON ordering.draft_order (merchant_id, customer_id, created_at, id);
CREATE INDEX draft_order_shipping_method ON ordering.draft_order (merchant_id, shipping_method_id);
CREATE INDEX draft_order_expiry ON ordering.draft_order (expires_at) WHERE order_id IS NULL;

CREATE TABLE ordering.draft_order_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  draft_order_id uuid NOT NULL,
  position integer NOT NULL,
  product_id uuid NOT NULL,
  variant_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  -- What a shopper or the merchant wants of this line alone, as names and values: an engraving.
  properties jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(properties) = 'array'),
  -- What tells lines of one product apart: catalog.line_key of its properties.
  line_key text NOT NULL DEFAULT '',
  PRIMARY KEY (merchant_id, id),
  /* sql-parser-cst-disable */
  CONSTRAINT draft_order_item_line_key
    UNIQUE NULLS NOT DISTINCT (merchant_id, draft_order_id, product_id, variant_id, line_key),
  /* sql-parser-cst-enable */
  CONSTRAINT draft_order_item_draft_fkey
    FOREIGN KEY (merchant_id, draft_order_id) REFERENCES ordering.draft_order
      ON DELETE CASCADE,
  CONSTRAINT draft_order_item_product_fkey
    FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
      ON DELETE CASCADE,
  CONSTRAINT draft_order_item_variant_fkey
    FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id)
      ON DELETE CASCADE
);
CREATE INDEX draft_order_item_product ON ordering.draft_order_item (merchant_id, product_id);

CREATE TABLE ordering.product_order (
  merchant_id uuid NOT NULL,
  product_id uuid NOT NULL,
  order_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (merchant_id, product_id, order_id),
  CONSTRAINT product_order_product_fkey
    FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
      ON DELETE CASCADE,
  CONSTRAINT product_order_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE
);
CREATE INDEX product_order_created_at ON ordering.product_order (merchant_id, product_id, created_at, order_id);
CREATE INDEX product_order_order ON ordering.product_order (merchant_id, order_id);
CREATE INDEX order_paid_at ON ordering.order (merchant_id, paid_at)
INCLUDE (customer_id, currency)
WHERE paid_at IS NOT NULL;
CREATE INDEX order_cancelled_at ON ordering.order (merchant_id, cancelled_at) WHERE cancelled_at IS NOT NULL;
CREATE INDEX order_status ON ordering.order (merchant_id, status, id);
CREATE INDEX order_return_updated_at ON ordering.order_return (merchant_id, updated_at, id);
CREATE INDEX draft_order_updated_at ON ordering.draft_order (merchant_id, updated_at, id);
CREATE INDEX shipment_created_at ON ordering.shipment (merchant_id, created_at, id);
CREATE INDEX shipment_updated_at ON ordering.shipment (merchant_id, updated_at, id);
CREATE INDEX shipment_tracking_number ON ordering.shipment (merchant_id, tracking_number)
WHERE tracking_number IS NOT NULL;

-- The text that searchQuery looks through. A table of its own: changes of an order's status leave the index alone.
CREATE TABLE ordering.order_search (
  merchant_id uuid NOT NULL,
  order_id uuid NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (merchant_id, order_id),
  CONSTRAINT order_search_order_fkey
    FOREIGN KEY (merchant_id, order_id) REFERENCES ordering.order
      ON DELETE CASCADE
);
CREATE INDEX order_search_text ON ordering.order_search USING gin (merchant_id, text gin_trgm_ops)
WITH (gin_pending_list_limit = 256);
CREATE INDEX order_tags ON ordering.order USING gin (merchant_id, tags);
CREATE INDEX fulfillment_status ON ordering.fulfillment (merchant_id, status);
