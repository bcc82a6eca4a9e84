-- The ledger of stock: every change of a level, whoever makes it, is an entry. Triggers write it, in the statement that
-- changes the level, so no change can be forgotten and the sum of the entries is always the level.

CREATE TABLE inventory.stock_movement (
  merchant_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT platform.uuid_v7(),
  stock_item_id uuid NOT NULL,
  warehouse_id uuid NOT NULL,
  -- The stock item's product, so that a product's entries are found by an index.
  product_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN (
    'OPENING', 'ADJUSTMENT', 'STOCKTAKE', 'RESERVATION', 'RELEASE', 'SALE', 'RETURN', 'ARRIVAL', 'TRANSFER_OUT', 'TRANSFER_IN'
  )),
  -- What is on the shelf is available + reserved of the level.
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
  FOREIGN KEY (merchant_id, stock_item_id, warehouse_id) REFERENCES inventory.stock_level ON DELETE CASCADE
);
CREATE INDEX stock_movement_created_at ON inventory.stock_movement (merchant_id, created_at, id);
CREATE INDEX stock_movement_product ON inventory.stock_movement (merchant_id, product_id, created_at, id);
CREATE INDEX stock_movement_warehouse ON inventory.stock_movement (merchant_id, warehouse_id, created_at, id);

-- Says why the next statement changes levels. NULL for kind and reason: the changes speak for themselves.
CREATE FUNCTION inventory.because(
  p_kind text,
  p_reason text,
  p_reference_type text,
  p_reference_id uuid,
  p_principal text
) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  SELECT set_config(
    'inventory.cause',
    jsonb_build_object(
      'kind', p_kind, 'reason', p_reason, 'referenceType', p_reference_type, 'referenceId', p_reference_id,
      'principal', p_principal
    )::text,
    true
  )
$$;

-- The order that has the reservation, or the reservation itself, is why.
CREATE FUNCTION inventory.because_of_reservation(p_reservation_id uuid, p_order_id uuid, p_reason text) RETURNS void
LANGUAGE sql VOLATILE
AS $$
  SELECT inventory.because(
    NULL, p_reason, CASE WHEN p_order_id IS NULL THEN 'RESERVATION' ELSE 'ORDER' END, coalesce(p_order_id, p_reservation_id), NULL
  )
$$;

CREATE FUNCTION inventory.kind_of_movement(p_on_hand_delta integer, p_reserved_delta integer) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE
    WHEN p_on_hand_delta = 0 AND p_reserved_delta > 0 THEN 'RESERVATION'
    WHEN p_on_hand_delta = 0 THEN 'RELEASE'
    WHEN p_on_hand_delta < 0 AND p_on_hand_delta = p_reserved_delta THEN 'SALE'
    ELSE 'ADJUSTMENT'
  END
$$;

CREATE FUNCTION inventory.reason_of_movement(p_kind text) RETURNS text
LANGUAGE sql IMMUTABLE
AS $$
  SELECT CASE p_kind
    WHEN 'OPENING' THEN 'The level was created'
    WHEN 'RESERVATION' THEN 'Stock was reserved'
    WHEN 'RELEASE' THEN 'Reserved stock was given back'
    WHEN 'SALE' THEN 'The goods were shipped'
    ELSE 'The level was changed'
  END
$$;

-- Who acts, as the session says that Hasura or platform.acting_as set; NULL: a job.
CREATE FUNCTION inventory.acting_principal() RETURNS text
LANGUAGE sql STABLE
AS $$
  SELECT coalesce(
    'customer:' || (s.session ->> 'x-hasura-customer-id'),
    'user:' || (s.session ->> 'x-hasura-user-id'),
    'key:' || (s.session ->> 'x-hasura-key-id')
  )
  -- After a transaction that set it, a custom setting is '' and not NULL.
  FROM (SELECT nullif(current_setting('hasura.user', true), '')::jsonb AS session) s
$$;

-- A cause holds for one statement: what follows it in the transaction has to say its own.
CREATE FUNCTION inventory.record_movements() RETURNS trigger
LANGUAGE plpgsql
AS $$
DECLARE
  v_cause jsonb := nullif(current_setting('inventory.cause', true), '')::jsonb;
  v_principal text := coalesce(v_cause ->> 'principal', inventory.acting_principal());
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO inventory.stock_movement
      (merchant_id, stock_item_id, warehouse_id, product_id, kind, on_hand_delta, reserved_delta, on_hand, reserved, reason,
       reference_type, reference_id, principal)
    SELECT
      a.merchant_id, a.stock_item_id, a.warehouse_id, i.product_id, k.kind, a.available + a.reserved, a.reserved,
      a.available + a.reserved, a.reserved, coalesce(v_cause ->> 'reason', inventory.reason_of_movement(k.kind)),
      v_cause ->> 'referenceType', (v_cause ->> 'referenceId')::uuid, v_principal
    FROM after a
    JOIN inventory.stock_item i ON i.merchant_id = a.merchant_id AND i.id = a.stock_item_id
    CROSS JOIN LATERAL (SELECT coalesce(v_cause ->> 'kind', 'OPENING') AS kind) k
    WHERE a.available + a.reserved <> 0;
  ELSE
    INSERT INTO inventory.stock_movement
      (merchant_id, stock_item_id, warehouse_id, product_id, kind, on_hand_delta, reserved_delta, on_hand, reserved, reason,
       reference_type, reference_id, principal)
    SELECT
      a.merchant_id, a.stock_item_id, a.warehouse_id, i.product_id, k.kind, d.on_hand, d.reserved, a.available + a.reserved,
      a.reserved, coalesce(v_cause ->> 'reason', inventory.reason_of_movement(k.kind)), v_cause ->> 'referenceType',
      (v_cause ->> 'referenceId')::uuid, v_principal
    FROM after a
    JOIN before b USING (merchant_id, stock_item_id, warehouse_id)
    JOIN inventory.stock_item i ON i.merchant_id = a.merchant_id AND i.id = a.stock_item_id
    CROSS JOIN LATERAL (
      SELECT a.available + a.reserved - b.available - b.reserved AS on_hand, a.reserved - b.reserved AS reserved
    ) d
    CROSS JOIN LATERAL (
      SELECT coalesce(v_cause ->> 'kind', inventory.kind_of_movement(d.on_hand, d.reserved)) AS kind
    ) k
    WHERE d.on_hand <> 0 OR d.reserved <> 0;
  END IF;
  PERFORM set_config('inventory.cause', '', true);
  RETURN NULL;
END
$$;
CREATE TRIGGER record_opening AFTER INSERT ON inventory.stock_level
  REFERENCING NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION inventory.record_movements();
CREATE TRIGGER record_movements AFTER UPDATE ON inventory.stock_level
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION inventory.record_movements();

-- Entries are only ever added. They go with their level, which goes with its product or merchant only.
CREATE FUNCTION inventory.keep_movements() RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF TG_OP = 'DELETE' AND NOT EXISTS (
    SELECT FROM inventory.stock_level l
    WHERE l.merchant_id = OLD.merchant_id AND l.stock_item_id = OLD.stock_item_id AND l.warehouse_id = OLD.warehouse_id
  ) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION USING ERRCODE = 'restrict_violation', MESSAGE = 'entries of the stock ledger are never changed or deleted';
END
$$;
CREATE TRIGGER keep_movements BEFORE UPDATE OR DELETE ON inventory.stock_movement
  FOR EACH ROW EXECUTE FUNCTION inventory.keep_movements();

-- Levels that were there before the ledger begin it.
INSERT INTO inventory.stock_movement
  (merchant_id, stock_item_id, warehouse_id, product_id, kind, on_hand_delta, reserved_delta, on_hand, reserved, reason)
SELECT
  l.merchant_id, l.stock_item_id, l.warehouse_id, i.product_id, 'OPENING', l.available + l.reserved, l.reserved,
  l.available + l.reserved, l.reserved, inventory.reason_of_movement('OPENING')
FROM inventory.stock_level l
JOIN inventory.stock_item i ON i.merchant_id = l.merchant_id AND i.id = l.stock_item_id
WHERE l.available + l.reserved <> 0;

-- Levels that the sum of their entries disagrees with. There are none, unless somebody has switched triggers off.
CREATE VIEW inventory.ledger_disagreement AS
SELECT l.merchant_id, l.stock_item_id, l.warehouse_id, l.available + l.reserved AS on_hand, l.reserved, s.on_hand AS ledger_on_hand,
  s.reserved AS ledger_reserved
FROM inventory.stock_level l
CROSS JOIN LATERAL (
  SELECT coalesce(sum(m.on_hand_delta), 0) AS on_hand, coalesce(sum(m.reserved_delta), 0) AS reserved
  FROM inventory.stock_movement m
  JOIN inventory.stock_item i ON i.merchant_id = m.merchant_id AND i.id = m.stock_item_id AND i.product_id = m.product_id
  WHERE m.merchant_id = l.merchant_id AND m.stock_item_id = l.stock_item_id AND m.warehouse_id = l.warehouse_id
) s
WHERE (l.available + l.reserved, l.reserved) <> (s.on_hand, s.reserved);
