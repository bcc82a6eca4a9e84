CREATE TRIGGER touch_updated_at
BEFORE UPDATE OF url, description, topics, filter, query, status, previous_secret_until ON events.endpoint
FOR EACH ROW
EXECUTE FUNCTION platform.touch_updated_at();

-- A token that payloads are read with ends with its endpoint.
CREATE TRIGGER access_changed
AFTER DELETE OR UPDATE OF status, permissions ON events.endpoint
FOR EACH ROW
EXECUTE FUNCTION merchant.notify_access_changed();

-- Notes a change of a row in the transaction of the change. Arguments: the source, and the columns that are left out.
CREATE FUNCTION events.capture()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  -- What a merchant's deletion deletes is no event of the merchant's.
  IF TG_OP = 'DELETE' AND merchant.deletion_is_due(OLD.merchant_id) THEN
    RETURN NULL;
  END IF;
  INSERT INTO events.change (merchant_id, source, before, after)
  VALUES
    (
      coalesce(NEW.merchant_id, OLD.merchant_id),
      TG_ARGV[0],
      to_jsonb(OLD) - TG_ARGV[1]::text[],
      to_jsonb(NEW) - TG_ARGV[1]::text[]
    );
  RETURN NULL;
END;
$$;

-- The same for all rows that a statement has added.
CREATE FUNCTION events.capture_added()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO events.change (merchant_id, source, after)
  SELECT a.merchant_id, TG_ARGV[0], to_jsonb(a) - TG_ARGV[1]::text[]
  FROM added a;
  RETURN NULL;
END;
$$;

-- A crossing names the stock item, which is no record of the contract.
CREATE FUNCTION events.capture_crossing()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO events.change (merchant_id, source, after)
  SELECT
    NEW.merchant_id,
    'stock_crossing',
    jsonb_build_object(
      'product_id',
      i.product_id,
      'variant_id',
      i.variant_id,
      'sku',
      i.sku,
      'available',
      NEW.available,
      'low_stock_threshold',
      NEW.threshold,
      'crossing',
      NEW.crossing
    )
  FROM inventory.stock_item i
  WHERE i.merchant_id = NEW.merchant_id AND i.id = NEW.stock_item_id;
  RETURN NULL;
END;
$$;

CREATE TRIGGER event_created
AFTER INSERT ON notification.stock_crossing
FOR EACH ROW
WHEN (current_setting('platform.importing', TRUE) IS DISTINCT FROM 'on')
EXECUTE FUNCTION events.capture_crossing();

-- Arguments: the type in the contract, and the permission to read it.
CREATE FUNCTION events.record_deletions()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO events.deletion (merchant_id, record_type, record_id, permission)
  SELECT g.merchant_id, TG_ARGV[0], g.id, TG_ARGV[1]
  FROM gone g
  WHERE
    -- What a merchant's deletion deletes is not told to the merchant.
    g.merchant_id IN (SELECT m.id FROM merchant.merchant m WHERE NOT merchant.deletion_is_due(m.id));
  RETURN NULL;
END;
$$;

-- A product's variants go with it.
CREATE FUNCTION events.record_deleted_product()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO events.deletion (merchant_id, record_type, record_id, permission)
  SELECT NEW.merchant_id, 'Product', NEW.id, 'products:read'
  UNION ALL
  SELECT v.merchant_id, 'ProductVariant', v.id, 'products:read'
  FROM catalog.product_variant v
  WHERE v.merchant_id = NEW.merchant_id AND v.product_id = NEW.id AND v.deleted_at IS NULL;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_deletion
AFTER UPDATE OF deleted_at ON catalog.product
FOR EACH ROW
WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
EXECUTE FUNCTION events.record_deleted_product();

CREATE FUNCTION events.record_deleted_variant()
RETURNS trigger
LANGUAGE plpgsql
AS $$
BEGIN
  INSERT INTO events.deletion (merchant_id, record_type, record_id, permission)
  SELECT NEW.merchant_id, 'ProductVariant', NEW.id, 'products:read'
  FROM catalog.product p
  WHERE p.merchant_id = NEW.merchant_id AND p.id = NEW.product_id AND p.deleted_at IS NULL;
  RETURN NULL;
END;
$$;

CREATE TRIGGER record_deletion
AFTER UPDATE OF deleted_at ON catalog.product_variant
FOR EACH ROW
WHEN (OLD.deleted_at IS NULL AND NEW.deleted_at IS NOT NULL)
EXECUTE FUNCTION events.record_deleted_variant();
