-- Stock: what can be sold (stock_item), where and how much (stock_level), and who holds some of it (reservation).

CREATE SCHEMA inventory;

CREATE TABLE inventory.warehouse (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  name text NOT NULL CHECK (name <> ''),
  code text NOT NULL CHECK (code <> ''),
  active boolean NOT NULL DEFAULT true,
  -- Reservations take from the lowest number first.
  priority integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT warehouse_code_key UNIQUE (merchant_id, code)
);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON inventory.warehouse
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE inventory.warehouse_address (
  merchant_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  line1 text NOT NULL CHECK (line1 <> ''),
  line2 text,
  city text NOT NULL CHECK (city <> ''),
  state text NOT NULL,
  postal_code text NOT NULL,
  country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  phone text,
  PRIMARY KEY (merchant_id, warehouse_id),
  FOREIGN KEY (merchant_id, warehouse_id) REFERENCES inventory.warehouse ON DELETE CASCADE
);

-- What low stock is where a stock item doesn't say otherwise.
ALTER TABLE merchant.settings
  ADD COLUMN low_stock_threshold integer NOT NULL DEFAULT 5
    CONSTRAINT settings_low_stock_threshold_check CHECK (low_stock_threshold BETWEEN 0 AND 999999);

-- One row for everything that has a SKU: a product, or one of its variants. The SKU is unique over both.
CREATE TABLE inventory.stock_item (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  product_id uuid NOT NULL,
  variant_id uuid,
  -- NULL once the product or variant is deleted, which gives the SKU free.
  sku text,
  -- NULL: the merchant's default.
  low_stock_threshold integer CHECK (low_stock_threshold BETWEEN 0 AND 999999),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, id),
  CONSTRAINT stock_item_sku_key UNIQUE (merchant_id, sku),
  CONSTRAINT stock_item_sellable_key UNIQUE NULLS NOT DISTINCT (merchant_id, product_id, variant_id),
  FOREIGN KEY (merchant_id, product_id) REFERENCES catalog.product ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, product_id, variant_id) REFERENCES catalog.product_variant (merchant_id, product_id, id) ON DELETE CASCADE
);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON inventory.stock_item
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- Products and variants bring their stock item along, and keep its SKU equal to theirs.
CREATE FUNCTION inventory.keep_stock_item_of_product() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO inventory.stock_item (merchant_id, product_id, variant_id, sku)
  VALUES (NEW.merchant_id, NEW.id, NULL, CASE WHEN NEW.deleted_at IS NULL THEN NEW.sku END)
  ON CONFLICT ON CONSTRAINT stock_item_sellable_key DO UPDATE SET sku = excluded.sku;
  RETURN NULL;
END
$$;
CREATE TRIGGER keep_stock_item AFTER INSERT OR UPDATE OF sku, deleted_at ON catalog.product
  FOR EACH ROW EXECUTE FUNCTION inventory.keep_stock_item_of_product();

CREATE FUNCTION inventory.keep_stock_item_of_variant() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO inventory.stock_item (merchant_id, product_id, variant_id, sku)
  VALUES (NEW.merchant_id, NEW.product_id, NEW.id, CASE WHEN NEW.deleted_at IS NULL THEN NEW.sku END)
  ON CONFLICT ON CONSTRAINT stock_item_sellable_key DO UPDATE SET sku = excluded.sku;
  RETURN NULL;
END
$$;
CREATE TRIGGER keep_stock_item AFTER INSERT OR UPDATE OF sku, deleted_at ON catalog.product_variant
  FOR EACH ROW EXECUTE FUNCTION inventory.keep_stock_item_of_variant();

CREATE TABLE inventory.stock_level (
  merchant_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  -- What can still be promised to somebody. The constraint is the last word on overselling.
  available integer NOT NULL DEFAULT 0 CONSTRAINT stock_level_available_not_negative CHECK (available >= 0),
  -- What is promised and still on the shelf.
  reserved integer NOT NULL DEFAULT 0 CONSTRAINT stock_level_reserved_not_negative CHECK (reserved >= 0),
  last_restocked_at timestamptz,
  last_sold_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (merchant_id, stock_item_id, warehouse_id),
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item ON DELETE CASCADE,
  CONSTRAINT stock_level_warehouse_fkey FOREIGN KEY (merchant_id, warehouse_id) REFERENCES inventory.warehouse
);
CREATE INDEX stock_level_warehouse ON inventory.stock_level (merchant_id, warehouse_id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON inventory.stock_level
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- A move of stock from one warehouse to another. The transitions are the state machine's (actions/src/inventory/SPEC.md).
CREATE TABLE inventory.transfer (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  status text NOT NULL DEFAULT 'DRAFT'
    CHECK (status IN ('DRAFT', 'IN_TRANSIT', 'PARTIALLY_RECEIVED', 'RECEIVED', 'CANCELLED')),
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
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON inventory.transfer
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- What is to be moved. What has arrived of it stands in incoming_stock.
CREATE TABLE inventory.transfer_line (
  merchant_id uuid NOT NULL,
  transfer_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  PRIMARY KEY (merchant_id, transfer_id, stock_item_id),
  FOREIGN KEY (merchant_id, transfer_id) REFERENCES inventory.transfer ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item ON DELETE CASCADE
);

-- Stock on its way to a warehouse: bought, or in transit from another warehouse.
CREATE TABLE inventory.incoming_stock (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  -- Set for stock that comes from another warehouse.
  transfer_id uuid,
  quantity integer NOT NULL CHECK (quantity BETWEEN 1 AND 999999),
  received_quantity integer NOT NULL DEFAULT 0
    CONSTRAINT incoming_stock_received_check CHECK (received_quantity BETWEEN 0 AND quantity),
  -- NULL once nothing is awaited any more; what is still on its way otherwise.
  awaited integer GENERATED ALWAYS AS (
    CASE WHEN cancelled_at IS NULL AND received_quantity < quantity THEN quantity - received_quantity END
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
  FOREIGN KEY (merchant_id, stock_item_id) REFERENCES inventory.stock_item ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, transfer_id, stock_item_id) REFERENCES inventory.transfer_line ON DELETE CASCADE,
  CONSTRAINT incoming_stock_warehouse_fkey FOREIGN KEY (merchant_id, warehouse_id) REFERENCES inventory.warehouse
);
CREATE INDEX incoming_stock_item ON inventory.incoming_stock (merchant_id, stock_item_id) WHERE awaited IS NOT NULL;
CREATE INDEX incoming_stock_created_at ON inventory.incoming_stock (merchant_id, created_at, id);
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON inventory.incoming_stock
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

-- ACTIVE holds stock until expires_at; COMMITTED belongs to a paid order and doesn't expire;
-- CONSUMED has left the shelf; RELEASED and EXPIRED have given it back.
CREATE TABLE inventory.reservation (
  merchant_id uuid NOT NULL REFERENCES merchant.merchant ON DELETE CASCADE,
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
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON inventory.reservation
  FOR EACH ROW EXECUTE FUNCTION platform.touch_updated_at();

CREATE TABLE inventory.reservation_line (
  merchant_id uuid NOT NULL,
  reservation_id uuid NOT NULL,
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  quantity integer NOT NULL CHECK (quantity > 0),
  -- One line per reservation and place: a second hold of the same stock has nowhere to stand.
  PRIMARY KEY (merchant_id, reservation_id, stock_item_id, warehouse_id),
  FOREIGN KEY (merchant_id, reservation_id) REFERENCES inventory.reservation ON DELETE CASCADE,
  FOREIGN KEY (merchant_id, stock_item_id, warehouse_id) REFERENCES inventory.stock_level
);
CREATE INDEX reservation_line_level ON inventory.reservation_line (merchant_id, stock_item_id, warehouse_id);

-- Stock per stock item over all active warehouses, as ProductVariant.inventory and inventory(skus) show it. What is left under
-- the own SKU of a product that has variants can't be sold.
CREATE VIEW inventory.sku_inventory AS
SELECT
  i.merchant_id,
  i.id AS stock_item_id,
  i.product_id,
  i.variant_id,
  i.sku,
  t.low_stock_threshold,
  coalesce(l.available, 0)::integer AS available,
  coalesce(l.reserved, 0)::integer AS reserved,
  coalesce(n.quantity, 0)::integer AS in_transit,
  coalesce(l.available, 0) <= t.low_stock_threshold AS is_low_stock,
  l.last_restocked_at,
  l.last_sold_at,
  greatest(i.updated_at, l.updated_at) AS updated_at
FROM inventory.stock_item i
CROSS JOIN LATERAL (
  SELECT coalesce(
    i.low_stock_threshold,
    (SELECT m.low_stock_threshold FROM merchant.settings m WHERE m.merchant_id = i.merchant_id),
    5
  ) AS low_stock_threshold
) t
LEFT JOIN LATERAL (
  SELECT
    sum(s.available) FILTER (
      WHERE w.active AND (i.variant_id IS NOT NULL OR NOT catalog.has_variants(i.merchant_id, i.product_id))
    ) AS available,
    sum(s.reserved) AS reserved,
    max(s.last_restocked_at) AS last_restocked_at,
    max(s.last_sold_at) AS last_sold_at,
    max(s.updated_at) AS updated_at
  FROM inventory.stock_level s
  JOIN inventory.warehouse w ON w.merchant_id = s.merchant_id AND w.id = s.warehouse_id
  WHERE s.merchant_id = i.merchant_id AND s.stock_item_id = i.id
) l ON true
LEFT JOIN LATERAL (
  SELECT sum(s.awaited) AS quantity
  FROM inventory.incoming_stock s
  WHERE s.merchant_id = i.merchant_id AND s.stock_item_id = i.id AND s.awaited IS NOT NULL
) n ON true;

-- Stock of a product: its variants' together where it has any, else its own.
CREATE VIEW inventory.product_inventory AS
SELECT
  p.merchant_id,
  p.id AS product_id,
  NULL::uuid AS variant_id,
  t.low_stock_threshold,
  t.available,
  t.reserved,
  t.in_transit,
  t.is_low_stock,
  t.last_restocked_at,
  t.last_sold_at,
  t.updated_at
FROM catalog.product p
CROSS JOIN LATERAL (
  SELECT
    coalesce(sum(s.low_stock_threshold), 0)::integer AS low_stock_threshold,
    coalesce(sum(s.available), 0)::integer AS available,
    coalesce(sum(s.reserved), 0)::integer AS reserved,
    coalesce(sum(s.in_transit), 0)::integer AS in_transit,
    coalesce(bool_or(s.is_low_stock), true) AS is_low_stock,
    max(s.last_restocked_at) AS last_restocked_at,
    max(s.last_sold_at) AS last_sold_at,
    coalesce(max(s.updated_at), p.updated_at) AS updated_at
  FROM inventory.sku_inventory s
  WHERE s.merchant_id = p.merchant_id AND s.product_id = p.id AND s.sku IS NOT NULL
    AND (s.variant_id IS NOT NULL OR NOT catalog.has_variants(p.merchant_id, p.id))
) t;

-- A product's stock by warehouse, as Inventory.warehouses shows it.
CREATE VIEW inventory.product_warehouse_inventory AS
SELECT
  s.merchant_id,
  i.product_id,
  s.warehouse_id,
  sum(s.available)::integer AS available,
  sum(s.reserved)::integer AS reserved
FROM inventory.stock_level s
JOIN inventory.stock_item i ON i.merchant_id = s.merchant_id AND i.id = s.stock_item_id
WHERE i.sku IS NOT NULL
  AND (i.variant_id IS NOT NULL OR NOT catalog.has_variants(i.merchant_id, i.product_id))
GROUP BY s.merchant_id, i.product_id, s.warehouse_id;
