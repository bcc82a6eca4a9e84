CREATE SCHEMA inventory;

CREATE TABLE inventory.warehouse (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  code text NOT NULL CHECK (code <> ''),
  active boolean NOT NULL DEFAULT TRUE,
  -- Reservations take from the lowest number first.
  priority integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  -- The record's id in another system, by which a synchronisation finds it again.
  external_id text CHECK (char_length(external_id) BETWEEN 1 AND 255),
  -- Namespaces of keys and values (sql/metadata): what shoppers may read, and what they may not.
  metadata jsonb NOT NULL DEFAULT '{}',
  private_metadata jsonb NOT NULL DEFAULT '{}',
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT warehouse_code_key UNIQUE (merchant_id, code)
);
CREATE UNIQUE INDEX warehouse_external_id_key ON inventory.warehouse (merchant_id, external_id)
WHERE external_id IS NOT NULL;
CREATE INDEX warehouse_metadata ON inventory.warehouse USING gin (
  merchant_id,
  metadata jsonb_path_ops,
  private_metadata jsonb_path_ops
);

CREATE TABLE inventory.warehouse_address (
  merchant_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
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
  PRIMARY KEY (merchant_id, warehouse_id),
  FOREIGN KEY (merchant_id, warehouse_id) REFERENCES inventory.warehouse
    ON DELETE CASCADE
);

CREATE TABLE inventory.stock_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  variant_id uuid,
  -- NULL once the product or variant is deleted, which gives the SKU free.
  sku text,
  -- NULL: the merchant's default.
  low_stock_threshold integer CHECK (low_stock_threshold BETWEEN 0 AND 999999),
  -- Three columns are kept as inventory.item_standing has them: lists and counts read them by an index.
  is_sellable boolean NOT NULL DEFAULT TRUE,
  in_stock boolean NOT NULL DEFAULT FALSE,
  needs_restock boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT stock_item_sku_key UNIQUE (merchant_id, sku),
  /* sql-parser-cst-disable */
  CONSTRAINT stock_item_sellable_key UNIQUE NULLS NOT DISTINCT (merchant_id, product_id, variant_id),
  /* sql-parser-cst-enable */
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id)
    ON DELETE CASCADE
);
CREATE INDEX stock_item_in_stock ON inventory.stock_item (merchant_id, product_id) WHERE in_stock;
CREATE INDEX stock_item_needs_restock ON inventory.stock_item (merchant_id, created_at, id) WHERE needs_restock;
-- Counted from it alone: its key is the same for all rows of a merchant, which a B-tree keeps as one key with a list.
CREATE INDEX stock_item_counted ON inventory.stock_item (merchant_id) WHERE needs_restock;

-- Products whose in_stock may be wrong, because another transaction had locked them for long when an item of theirs
-- changed. A job corrects it (inventory.settle_products).
CREATE TABLE inventory.unsettled_product (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  PRIMARY KEY (merchant_id, id)
);

CREATE TABLE inventory.stock_level (
  merchant_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  -- The units that can still be reserved. The constraint is the last word on overselling.
  available integer NOT NULL DEFAULT 0 CONSTRAINT stock_level_available_not_negative CHECK (available >= 0),
  -- Units that are promised and still on the shelf.
  reserved integer NOT NULL DEFAULT 0 CONSTRAINT stock_level_reserved_not_negative CHECK (reserved >= 0),
  last_restocked_at timestamptz,
  last_sold_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, stock_item_id, warehouse_id),
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
    ON DELETE CASCADE,
  CONSTRAINT stock_level_warehouse_fkey FOREIGN KEY (merchant_id, warehouse_id) REFERENCES inventory.warehouse
);
CREATE INDEX stock_level_warehouse ON inventory.stock_level (merchant_id, warehouse_id);

CREATE TABLE inventory.transfer (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  status text NOT NULL DEFAULT 'DRAFT' CHECK (
    status IN ('DRAFT', 'IN_TRANSIT', 'PARTIALLY_RECEIVED', 'RECEIVED', 'CANCELLED')
  ),
  from_warehouse_id uuid NOT NULL,
  to_warehouse_id uuid NOT NULL CONSTRAINT transfer_between_two CHECK (to_warehouse_id <> from_warehouse_id),
  expected_date date,
  notes text,
  shipped_at timestamptz,
  received_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT transfer_from_warehouse_fkey FOREIGN KEY (merchant_id, from_warehouse_id) REFERENCES inventory.warehouse,
  CONSTRAINT transfer_to_warehouse_fkey FOREIGN KEY (merchant_id, to_warehouse_id) REFERENCES inventory.warehouse
);
CREATE INDEX transfer_created_at ON inventory.transfer (merchant_id, created_at, id);

CREATE TABLE inventory.transfer_line (
  merchant_id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  PRIMARY KEY (merchant_id, transfer_id, stock_item_id),
  FOREIGN KEY (merchant_id, transfer_id) REFERENCES inventory.transfer
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
    ON DELETE CASCADE
);

CREATE TABLE inventory.incoming_stock (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  -- Set for stock that comes from another warehouse.
  transfer_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  received_quantity integer NOT NULL DEFAULT 0 CONSTRAINT incoming_stock_received_check
    CHECK (received_quantity BETWEEN 0 AND quantity),
  -- NULL once nothing is awaited any more; what is still on its way otherwise.
  awaited integer GENERATED ALWAYS AS (
    CASE
      WHEN cancelled_at IS NULL
      AND received_quantity < quantity THEN quantity - received_quantity
    END
  ) STORED,
  status text NOT NULL GENERATED ALWAYS AS (
    CASE
      WHEN received_quantity = quantity THEN 'RECEIVED'
      WHEN cancelled_at IS NOT NULL THEN 'CANCELLED'
      WHEN received_quantity > 0 THEN 'PARTIALLY_RECEIVED'
      ELSE 'EXPECTED'
    END
  ) STORED,
  expected_date date,
  -- The merchant's own name for it: a purchase order's number, for example.
  reference text,
  received_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT incoming_stock_transfer_key UNIQUE (merchant_id, transfer_id, stock_item_id),
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, transfer_id, stock_item_id) REFERENCES inventory.transfer_line
    ON DELETE CASCADE,
  CONSTRAINT incoming_stock_warehouse_fkey FOREIGN KEY (merchant_id, warehouse_id) REFERENCES inventory.warehouse
);
CREATE INDEX incoming_stock_item ON inventory.incoming_stock (merchant_id, stock_item_id) WHERE awaited IS NOT NULL;
CREATE INDEX incoming_stock_created_at ON inventory.incoming_stock (merchant_id, created_at, id);

CREATE TABLE inventory.reservation (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant
    ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  status text NOT NULL DEFAULT 'ACTIVE' CHECK (status IN ('ACTIVE', 'COMMITTED', 'CONSUMED', 'RELEASED', 'EXPIRED')),
  -- Set once an order has taken the reservation over. The order's domain stands above this one: no foreign key.
  order_id uuid,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id)
);
CREATE INDEX reservation_expiry ON inventory.reservation (expires_at) WHERE status = 'ACTIVE';
CREATE INDEX reservation_order ON inventory.reservation (merchant_id, order_id) WHERE order_id IS NOT NULL;

CREATE TABLE inventory.reservation_line (
  merchant_id uuid NOT NULL,
  reservation_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  -- One line per reservation and place: a second hold of the same stock has nowhere to stand.
  PRIMARY KEY (merchant_id, reservation_id, stock_item_id, warehouse_id),
  FOREIGN KEY (merchant_id, reservation_id) REFERENCES inventory.reservation
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, stock_item_id, warehouse_id) REFERENCES inventory.stock_level
);
CREATE INDEX reservation_line_level ON inventory.reservation_line (merchant_id, stock_item_id, warehouse_id);

CREATE TABLE inventory.stock_movement (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  -- The stock item's product, so that a product's entries are found by an index.
  product_id uuid NOT NULL,
  kind text NOT NULL CHECK (
    kind IN (
      'OPENING',
      'ADJUSTMENT',
      'STOCKTAKE',
      'RESERVATION',
      'RELEASE',
      'SALE',
      'RETURN',
      'ARRIVAL',
      'TRANSFER_OUT',
      'TRANSFER_IN'
    )
  ),
  -- The units on the shelf are available + reserved of the level.
  on_hand_delta integer NOT NULL,
  reserved_delta integer NOT NULL,
  -- The level that the entry left behind.
  on_hand integer NOT NULL,
  reserved integer NOT NULL,
  reason text NOT NULL CHECK (reason <> ''),
  reference_type text CHECK (reference_type IN ('ORDER', 'RESERVATION', 'TRANSFER', 'INCOMING_STOCK')),
  reference_id uuid,
  -- 'key:<id>', 'user:<id>' or 'customer:<id>'; NULL for what a job did.
  principal text,
  -- The clock and not the transaction's start: entries of a level are in the order of its locks.
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT stock_movement_moves CHECK (on_hand_delta <> 0 OR reserved_delta <> 0),
  CONSTRAINT stock_movement_reference CHECK ((reference_type IS NULL) = (reference_id IS NULL)),
  FOREIGN KEY (merchant_id, stock_item_id, warehouse_id) REFERENCES inventory.stock_level
    ON DELETE CASCADE
);
CREATE INDEX stock_movement_created_at ON inventory.stock_movement (merchant_id, created_at, id);
CREATE INDEX stock_movement_product ON inventory.stock_movement (merchant_id, product_id, created_at, id);
CREATE INDEX stock_movement_warehouse ON inventory.stock_movement (merchant_id, warehouse_id, created_at, id);

CREATE TABLE inventory.stock_alert (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  email citext NOT NULL CONSTRAINT stock_alert_email_check CHECK (email <> ''),
  -- The shopper who asked for it, when one was signed in.
  customer_id uuid,
  -- The transitions are the state machine's (actions/src/inventory/SPEC.md).
  status text NOT NULL DEFAULT 'PENDING' CHECK (status IN ('PENDING', 'NOTIFIED', 'CANCELLED')),
  notified_at timestamptz,
  cancelled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item
    ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, customer_id) REFERENCES crm.customer
    ON DELETE SET NULL (customer_id)
);
CREATE UNIQUE INDEX stock_alert_open_key ON inventory.stock_alert (merchant_id, stock_item_id, email)
WHERE status = 'PENDING';
CREATE INDEX stock_alert_created_at ON inventory.stock_alert (merchant_id, created_at, id);
CREATE INDEX warehouse_updated_at ON inventory.warehouse (merchant_id, updated_at, id);
CREATE INDEX transfer_updated_at ON inventory.transfer (merchant_id, updated_at, id);
CREATE INDEX incoming_stock_updated_at ON inventory.incoming_stock (merchant_id, updated_at, id);
CREATE INDEX stock_alert_updated_at ON inventory.stock_alert (merchant_id, updated_at, id);
CREATE INDEX reservation_created_at ON inventory.reservation (merchant_id, created_at, id);
CREATE INDEX reservation_updated_at ON inventory.reservation (merchant_id, updated_at, id);
