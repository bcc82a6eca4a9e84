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
