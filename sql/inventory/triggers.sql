CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.warehouse
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE TRIGGER touch_updated_at
BEFORE UPDATE ON inventory.stock_item
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

CREATE FUNCTION inventory.add_stock_items_of_products()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO inventory.stock_item (merchant_id, product_id, sku)
  SELECT
    p.merchant_id,
    p.id,
    CASE
      WHEN p.deleted_at IS NULL THEN p.sku
    END
  FROM added p;
  RETURN NULL;
END;
$$;

CREATE TRIGGER add_stock_items
AFTER INSERT ON catalog.product
REFERENCING NEW TABLE AS added
FOR EACH STATEMENT
EXECUTE FUNCTION inventory.add_stock_items_of_products();

CREATE FUNCTION inventory.keep_stock_item_of_product()
RETURNS trigger
LANGUAGE plpgsql
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
  INSERT INTO inventory.stock_item (merchant_id, product_id, variant_id, sku)
  SELECT
    v.merchant_id,
    v.product_id,
    v.id,
    CASE
      WHEN v.deleted_at IS NULL THEN v.sku
    END
  FROM added v;
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
