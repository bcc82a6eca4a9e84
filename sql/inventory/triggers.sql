CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.warehouse
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE OF sku, low_stock_threshold ON inventory.stock_item
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION inventory.add_stock_items_of_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO inventory.stock_item (merchant_id, product_id, sku, needs_restock)
  SELECT
    p.merchant_id,
    p.id,
    CASE
      WHEN p.deleted_at IS NULL THEN p.sku
    END,
    -- There is nothing of it yet, which is low for any threshold.
    p.deleted_at IS NULL
    AND p.status <> 'ARCHIVED'
  FROM added p;
  RETURN NULL;
END;
$$;

CREATE TRIGGER add_stock_items
AFTER INSERT ON catalog.product
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION inventory.add_stock_items_of_products();

-- An edit of a product or a variant has locked it before its stock, which is the other way round than in an order. So
-- these triggers wait for stock for less time than Postgres waits before it ends a deadlock: of the two, the edit fails
-- (lock_not_available), and the engine does it again.
CREATE FUNCTION inventory.keep_stock_item_of_product()
RETURNS trigger
LANGUAGE plpgsql
SET lock_timeout = '500ms'
AS $$
BEGIN
  UPDATE inventory.stock_item i
  SET sku = CASE
    WHEN NEW.deleted_at IS NULL THEN NEW.sku
  END
  WHERE i.merchant_id = NEW.merchant_id AND i.product_id = NEW.id AND i.variant_id IS NULL;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_stock_item
AFTER UPDATE OF sku, deleted_at ON catalog.product
FOR EACH ROW
EXECUTE FUNCTION inventory.keep_stock_item_of_product();

CREATE FUNCTION inventory.add_stock_items_of_variants()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO inventory.stock_item (merchant_id, product_id, variant_id, sku, needs_restock)
  SELECT
    v.merchant_id,
    v.product_id,
    v.id,
    CASE
      WHEN v.deleted_at IS NULL THEN v.sku
    END,
    v.deleted_at IS NULL AND p.status <> 'ARCHIVED'
  FROM
    added v
    JOIN catalog.product p ON p.merchant_id = v.merchant_id AND p.id = v.product_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER add_stock_items
AFTER INSERT ON catalog.product_variant
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION inventory.add_stock_items_of_variants();

CREATE FUNCTION inventory.keep_stock_item_of_variant()
RETURNS trigger
LANGUAGE plpgsql
SET lock_timeout = '500ms'
AS $$
BEGIN
  UPDATE inventory.stock_item i
  SET sku = CASE
    WHEN NEW.deleted_at IS NULL THEN NEW.sku
  END
  WHERE i.merchant_id = NEW.merchant_id AND i.product_id = NEW.product_id AND i.variant_id = NEW.id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_stock_item
AFTER UPDATE OF sku, deleted_at ON catalog.product_variant
FOR EACH ROW
EXECUTE FUNCTION inventory.keep_stock_item_of_variant();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.stock_level
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.transfer
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.incoming_stock
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.reservation
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER record_opening
AFTER INSERT ON inventory.stock_level
REFERENCING NEW TABLE AS after
FOR EACH STATEMENT
EXECUTE FUNCTION inventory.record_movements();

/* sql-parser-cst-disable */
CREATE TRIGGER record_movements AFTER UPDATE ON inventory.stock_level
  REFERENCING OLD TABLE AS before NEW TABLE AS after
  FOR EACH STATEMENT EXECUTE FUNCTION inventory.record_movements();
/* sql-parser-cst-enable */

CREATE FUNCTION inventory.keep_movements()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  IF
    TG_OP = 'DELETE'
    AND NOT EXISTS (
      SELECT
      FROM inventory.stock_level l
      WHERE
        l.merchant_id = OLD.merchant_id
        AND l.stock_item_id = OLD.stock_item_id
        AND l.warehouse_id = OLD.warehouse_id
    )
  THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION
    USING ERRCODE = 'restrict_violation', MESSAGE = 'entries of the stock ledger are never changed or deleted';
END;
$$;

CREATE TRIGGER keep_movements
BEFORE UPDATE OR DELETE ON inventory.stock_movement
FOR EACH ROW
EXECUTE FUNCTION inventory.keep_movements();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.stock_alert
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

-- An import writes the standing of all items of a batch at once.
CREATE FUNCTION inventory.keep_standing_of_added_variants()
RETURNS trigger
LANGUAGE plpgsql
SET lock_timeout = '500ms'
AS $$
BEGIN
  PERFORM inventory.keep_standing(a.merchant_id, a.ids)
  FROM
    (
      SELECT v.merchant_id, array_agg(DISTINCT i.id) AS ids
      FROM
        added v
        JOIN inventory.stock_item i ON i.merchant_id = v.merchant_id AND i.product_id = v.product_id
      WHERE i.variant_id IS NULL
      GROUP BY v.merchant_id
    ) a;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER INSERT ON catalog.product_variant
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
WHEN (NOT platform.importing())
EXECUTE FUNCTION inventory.keep_standing_of_added_variants();

CREATE FUNCTION inventory.keep_standing_of_product()
RETURNS trigger
LANGUAGE plpgsql
SET lock_timeout = '500ms'
AS $$
DECLARE
  v_ids uuid[] := inventory.items_of_product(NEW.merchant_id, NEW.id);
BEGIN
  -- An order has locked levels when it locks items: a later statement of this transaction may change levels, too.
  PERFORM inventory.lock_levels(NEW.merchant_id, v_ids);
  PERFORM inventory.keep_standing(NEW.merchant_id, v_ids);
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER UPDATE OF status ON catalog.product
FOR EACH ROW
WHEN ((OLD.status = 'ARCHIVED') <> (NEW.status = 'ARCHIVED') AND NOT platform.importing())
EXECUTE FUNCTION inventory.keep_standing_of_product();

CREATE FUNCTION inventory.keep_standing_of_ended_variant()
RETURNS trigger
LANGUAGE plpgsql
SET lock_timeout = '500ms'
AS $$
BEGIN
  PERFORM inventory.keep_standing(OLD.merchant_id, inventory.items_of_product(OLD.merchant_id, OLD.product_id));
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing_of_ended
AFTER DELETE OR UPDATE OF deleted_at ON catalog.product_variant
FOR EACH ROW
EXECUTE FUNCTION inventory.keep_standing_of_ended_variant();

-- When a product is deleted with its items, there is nothing to keep.
CREATE FUNCTION inventory.keep_product_of_ended_item()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM inventory.keep_products_in_stock(OLD.merchant_id, ARRAY[OLD.product_id]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_product_of_ended
AFTER DELETE ON inventory.stock_item
FOR EACH ROW
WHEN (OLD.in_stock)
EXECUTE FUNCTION inventory.keep_product_of_ended_item();

CREATE FUNCTION inventory.keep_standing_of_item()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM inventory.keep_standing(NEW.merchant_id, ARRAY[NEW.id]);
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER UPDATE OF sku, low_stock_threshold ON inventory.stock_item
FOR EACH ROW
WHEN (NOT platform.importing())
EXECUTE FUNCTION inventory.keep_standing_of_item();

CREATE FUNCTION inventory.keep_standing_of_levels()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM inventory.keep_standing(c.merchant_id, c.ids)
  FROM
    (
      SELECT l.merchant_id, array_agg(DISTINCT l.stock_item_id) AS ids
      FROM changed l
      WHERE l.available > 0
      GROUP BY l.merchant_id
    ) c;
  RETURN NULL;
END;
$$;

-- What is sent, or only reserved otherwise, leaves what can be sold as it was. So does what leaves plenty of it; that
-- is known once the items are locked.
CREATE FUNCTION inventory.keep_standing_of_changed_levels()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM inventory.lock_items(c.merchant_id, c.ids)
  FROM
    (
      SELECT l.merchant_id, array_agg(l.stock_item_id) AS ids
      FROM
        changed l
        JOIN before b USING (merchant_id, stock_item_id, warehouse_id)
      WHERE l.available <> b.available
      GROUP BY l.merchant_id
    ) c;
  PERFORM inventory.keep_standing(c.merchant_id, c.ids)
  FROM
    (
      SELECT l.merchant_id, array_agg(DISTINCT l.stock_item_id) AS ids
      FROM
        changed l
        JOIN before b USING (merchant_id, stock_item_id, warehouse_id)
      WHERE
        l.available <> b.available
        AND NOT EXISTS (
          SELECT FROM inventory.plentiful_item(l.merchant_id, l.stock_item_id, l.warehouse_id, l.available)
        )
      GROUP BY l.merchant_id
    ) c;
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing_of_added
AFTER INSERT ON inventory.stock_level
REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT
WHEN (NOT platform.importing())
EXECUTE FUNCTION inventory.keep_standing_of_levels();

/* sql-parser-cst-disable */
CREATE TRIGGER keep_standing AFTER UPDATE ON inventory.stock_level
  REFERENCING OLD TABLE AS before NEW TABLE AS changed
  FOR EACH STATEMENT WHEN (NOT platform.importing()) EXECUTE FUNCTION inventory.keep_standing_of_changed_levels();
/* sql-parser-cst-enable */

CREATE TRIGGER keep_standing_of_ended
AFTER DELETE ON inventory.stock_level
REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT
EXECUTE FUNCTION inventory.keep_standing_of_levels();

CREATE FUNCTION inventory.keep_standing_of_warehouse()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
    inventory.keep_standing(
      NEW.merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM inventory.stock_level l
        WHERE l.merchant_id = NEW.merchant_id AND l.warehouse_id = NEW.id AND l.available > 0
      )
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER UPDATE OF active ON inventory.warehouse
FOR EACH ROW
WHEN (NEW.active <> OLD.active)
EXECUTE FUNCTION inventory.keep_standing_of_warehouse();

-- Of the items with the merchant's threshold, only those change whose stock is between the old and the new one. All of
-- them are locked before that is looked up, so that no order changes their stock meanwhile.
CREATE FUNCTION inventory.keep_standing_of_merchant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  PERFORM
  FROM inventory.stock_item i
  WHERE i.merchant_id = NEW.merchant_id AND i.low_stock_threshold IS NULL
  ORDER BY i.id
  FOR NO KEY UPDATE;
  PERFORM
    inventory.keep_standing(
      NEW.merchant_id,
      ARRAY(
        SELECT l.stock_item_id
        FROM
          inventory.stock_level l
          JOIN inventory.warehouse w ON w.merchant_id = l.merchant_id AND w.id = l.warehouse_id AND w.active
        WHERE l.merchant_id = NEW.merchant_id
        GROUP BY l.stock_item_id
        HAVING
          sum(l.available) > least(OLD.low_stock_threshold, NEW.low_stock_threshold)
          AND sum(l.available) <= greatest(OLD.low_stock_threshold, NEW.low_stock_threshold)
      )
    );
  RETURN NULL;
END;
$$;

CREATE TRIGGER keep_standing
AFTER UPDATE OF low_stock_threshold ON merchant.settings
FOR EACH ROW
WHEN (NEW.low_stock_threshold <> OLD.low_stock_threshold)
EXECUTE FUNCTION inventory.keep_standing_of_merchant();
